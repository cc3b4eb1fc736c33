/** A function of expressions, all its overloads together. */
export interface CelFunction {
  /** How it is called, for the reference and for messages. */
  readonly usage: string
  readonly description: string
  /**
   * Signature (`name(type, …): type`, `type.name(…): type`) → implementation. Handlers throw `celError`. None for what
   * the library brings along.
   */
  readonly overloads: Readonly<Record<string, Handler>>
}

/** An implementation; its parameters are as its signature says. */
export type Handler = (...args: never[]) => unknown

/** Functions that belong together. */
export interface FunctionGroup {
  readonly title: string
  /** Names such as `base64` in `base64.encode(x)`: each is a value without a use of its own. */
  readonly namespaces?: readonly string[]
  readonly functions: readonly CelFunction[]
}

/** The same implementation under several signatures. */
export const overloads = (signatures: readonly string[], handler: Handler): Record<string, Handler> =>
  Object.fromEntries(signatures.map((signature) => [signature, handler]))
