import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'

/** A request to the client: a method such as `elicitation/create`, and its params. */
export interface InputRequest {
  readonly method: string
  readonly params: JsonObject
}

/** Responses of the client, under the keys of the requests. */
export type InputResponses = Record<string, JsonObject>

/** The context of a tool or prompt of the fixture, in any revision. */
export interface FixtureRequest {
  readonly args: JsonObject
  /** The capabilities of the client. */
  readonly capabilities: JsonObject
  /** Sends the client a log line, if it has subscribed to its level. */
  readonly log: (data: string) => Promise<void>
  /** Sends the client progress, if it has requested it. */
  readonly progress: (done: number, total: number) => Promise<void>
  /**
   * Sends requests to the client and resolves with its responses under the same keys: by requests of the server in the
   * older revisions, by an `input_required` result and a retry in 2026-07-28. `sealed` gives the client a state to
   * return.
   */
  readonly requestInput: (
    inputs: Record<string, InputRequest>,
    sealed?: boolean,
  ) => InputResponses | Promise<InputResponses>
  /** Closes the stream of the response early, if the transport can resume it. */
  readonly hangUp: () => void
  /** Notifies all listeners of a change in the server. */
  readonly changed: (change: Change) => void
}

/** The notifications for listeners. */
export type Change =
  | { readonly kind: 'tools' }
  | { readonly kind: 'prompts' }
  | { readonly kind: 'resources' }
  | { readonly kind: 'resource'; readonly uri: string }

/** A JSON-RPC error, thrown by a handler of the fixture. */
export class FixtureError extends Error {
  readonly code: number
  readonly data: JsonObject | undefined

  constructor(code: number, message: string, data?: JsonObject) {
    super(message)
    this.code = code
    this.data = data
  }
}
