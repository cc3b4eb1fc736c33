/** What the mock answers, and how fast. */
export interface MockAnswer {
  readonly status: number
  /** Name, value …, without the length. */
  readonly headers: string[]
  /** The whole body, or the chunks of a stream; each time they are gone through they are made anew. */
  readonly content: string | Iterable<string>
  /** Before the head. */
  readonly delayMs?: number
  /** Before each chunk. */
  readonly chunkDelayMs?: number
  /** After so many chunks the connection breaks: 0 is before the head, and a whole body breaks off half-way. */
  readonly cutAfter?: number | undefined
}

/** An answer in JSON. */
export const jsonAnswer = (status: number, value: unknown, more: Partial<MockAnswer> = {}): MockAnswer => ({
  status,
  content: JSON.stringify(value),
  ...more,
  headers: ['content-type', 'application/json', ...(more.headers ?? [])],
})
