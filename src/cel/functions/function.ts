/** A function of expressions, with all its overloads. */
export interface CelFunction {
  /** Its signature for the reference and for messages. */
  readonly usage: string
  readonly description: string
  /**
   * Signature (`name(type, …): type`, `type.name(…): type`) → implementation. Implementations throw
   * `celError`. Empty for functions of the library.
   */
  readonly overloads: Readonly<Record<string, Handler>>
}

/** An implementation; its parameters have the types of its signature. */
export type Handler = (...args: never[]) => unknown

/** A group of functions in the reference. */
export interface FunctionGroup {
  readonly title: string
  /** Names such as `base64` in `base64.encode(x)`: values whose only use is as a receiver. */
  readonly namespaces?: readonly string[]
  readonly functions: readonly CelFunction[]
}

/** One implementation for several signatures. */
export const overloads = (signatures: readonly string[], handler: Handler): Record<string, Handler> =>
  Object.fromEntries(signatures.map((signature) => [signature, handler]))
