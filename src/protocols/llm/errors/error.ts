/** What went wrong at a provider, or on the way to it, whichever format it was said in. */
export interface LlmError {
  /** HTTP status; of an error inside of a stream, the one it would have been. */
  readonly status: number
  /** What the client may read. */
  readonly message: string
  /** The provider's own word for the kind of error, where it is in the format that is written as well. */
  readonly type?: string | undefined
  /** A finer word, such as `context_length_exceeded`. */
  readonly code?: string | undefined
  /** The field that is wrong. */
  readonly param?: string | undefined
}
