/** A reply of the mock, and its speed. */
export interface MockReply {
  readonly status: number
  /** Name, value …, without the length. */
  readonly headers: string[]
  /** The whole body, or the chunks of a stream; each iteration generates them anew. */
  readonly content: string | Iterable<string>
  /** Before the head. */
  readonly delayMs?: number
  /** Before each chunk. */
  readonly chunkDelayMs?: number
  /** The connection breaks after so many chunks: 0 is before the head, and a whole body breaks half-way. */
  readonly cutAfter?: number | undefined
}

/** A reply in JSON. */
export const jsonReply = (status: number, value: unknown, more: Partial<MockReply> = {}): MockReply => ({
  status,
  content: JSON.stringify(value),
  ...more,
  headers: ['content-type', 'application/json', ...(more.headers ?? [])],
})
