import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'

/** A question to the client: a method of its, such as `elicitation/create`, and what it takes. */
export interface Question {
  readonly method: string
  readonly params: JsonObject
}

/** Answers of the client, under the keys of the questions. */
export type Respond = Record<string, JsonObject>

/** What a tool or prompt of the fixture is called with, in whichever era. */
export interface FixtureRequest {
  readonly args: JsonObject
  /** What the client says it can do. */
  readonly capabilities: JsonObject
  /** Tells the client a line of a log, if it wants to hear it. */
  readonly log: (data: string) => Promise<void>
  /** Tells the client how far the work is, if it asked to be told. */
  readonly progress: (done: number, total: number) => Promise<void>
  /**
   * Asks the client and resolves with its answers under the same keys: by requests of the server's own in the older
   * revisions, by an `input_required` result and a retry in 2026-07-28. `sealed` gives the client a state to bring back.
   */
  readonly ask: (unsolicited: Record<string, Question>, sealed?: boolean) => Respond | Promise<Respond>
  /** Closes the stream of the answer early, where the transport can resume it. */
  readonly hangUp: () => void
  /** Something of the server's has changed, for everybody who listens. */
  readonly changed: (change: Change) => void
}

/** What listeners hear about. */
export type Change =
  | { readonly kind: 'tools' }
  | { readonly kind: 'prompts' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** An error as JSON-RPC has it, thrown by a handler of the fixture. */
export class FixtureError extends Error {
  readonly code: number
  readonly data: JsonObject | undefined

  constructor(code: number, message: string, data?: JsonObject) {
    super(message)
    this.code = code
    this.data = data
  }
}
