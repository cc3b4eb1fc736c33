/** Bodies that are read whole before they are passed on. */
export interface BufferPolicy {
  readonly request?: BufferSide
  readonly response?: BufferSide
}

/** What becomes of a body larger than `maxBytes`: refused, or passed on unbuffered. */
export interface BufferSide {
  readonly maxBytes: number
  readonly failureMode: 'failClosed' | 'failOpen'
}
