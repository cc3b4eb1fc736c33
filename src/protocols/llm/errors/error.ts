/** An error of a provider, or on the way to it, in any format. */
export interface LlmError {
  /** HTTP status; for an error inside of a stream, the equivalent one. */
  readonly status: number
  /** For the client. */
  readonly message: string
  /** The provider's own word for the kind of error, where it is in the format that is written as well. */
  readonly type?: string | undefined
  /** A finer word, such as `context_length_exceeded`. */
  readonly code?: string | undefined
  /** The field that is wrong. */
  readonly param?: string | undefined
}
