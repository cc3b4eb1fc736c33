/** An error of a provider, or on the way to it, in any format. */
export interface LlmError {
  /** HTTP status; for an error in a stream, the equivalent one. */
  readonly status: number
  /** For the client. */
  readonly message: string
  /** The provider's error type, if the format that is written has it too. */
  readonly type?: string | undefined
  /** A more specific code, such as `context_length_exceeded`. */
  readonly code?: string | undefined
  /** The invalid field. */
  readonly param?: string | undefined
}
