/**
 * Splits a stream of server-sent events into pieces that end with an event, so that no forwarded piece
 * contains half an event. Chunks that end with an event are returned unchanged; the incomplete rest of a
 * chunk is buffered.
 *
 * @example
 * const cutter = new EventCutter(1024 * 1024)
 * cutter.push(Buffer.from('data: a\n\ndata:'))?.toString() // 'data: a\n\n'
 * cutter.push(Buffer.from(' b\n\n'))?.toString() // 'data: b\n\n'
 */
export class EventCutter {
  readonly #limitBytes: number
  #buffered: Buffer[] = []
  #bufferedBytes = 0

  /** @param limitBytes Of the buffer: one event. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** An event is longer than the limit. Nothing more may be pushed. */
  get isOver(): boolean {
    return this.#bufferedBytes > this.#limitBytes
  }

  /** The bytes of an incomplete event; the buffer is empty afterwards. */
  rest(): Buffer {
    const rest = this.#buffered.length === 1 ? (this.#buffered[0] as Buffer) : Buffer.concat(this.#buffered)
    this.#buffered = []
    this.#bufferedBytes = 0
    return rest
  }

  /**
   * The bytes up to the end of the last complete event, with those buffered before; undefined if none ends
   * here.
   */
  push(chunk: Buffer): Buffer | undefined {
    const end =
      lastEnd(chunk) || (this.#bufferedBytes ? endAcross(this.#buffered.at(-1) as Buffer, chunk) : 0)
    if (end === 0) {
      this.#buffer(chunk)
      return undefined
    }
    const whole = end === chunk.length ? chunk : chunk.subarray(0, end)
    const passed = this.#bufferedBytes ? Buffer.concat([...this.#buffered, whole]) : whole
    this.#buffered = []
    this.#bufferedBytes = 0
    if (end < chunk.length) this.#buffer(chunk.subarray(end))
    return passed
  }

  #buffer(part: Buffer): void {
    if (part.length === 0) return
    // A blank line may be split across two chunks, so that the last bytes must be contiguous.
    const last = this.#buffered.at(-1)
    if (last && last.length < 2) this.#buffered[this.#buffered.length - 1] = Buffer.concat([last, part])
    else this.#buffered.push(part)
    this.#bufferedBytes += part.length
  }
}

/**
 * The events in bytes that end with an event.
 *
 * @example
 * [...eventsIn(Buffer.from('data: a\n\ndata: b\n\n'))].map(String) // ['data: a\n\n', 'data: b\n\n']
 */
export function* eventsIn(bytes: Buffer): Generator<Buffer> {
  for (let start = 0; start < bytes.length;) {
    const end = endOfEvent(bytes, start)
    yield bytes.subarray(start, end)
    start = end
  }
}

/**
 * The position after the blank line that ends the event which begins there; the end of the bytes if there is
 * none.
 */
export const endOfEvent = (bytes: Buffer, start: number): number => {
  // Few streams have CR: one search for a byte detects that.
  const hasCr = bytes.indexOf(CR, start) >= 0
  for (let lf = bytes.indexOf(LF, start); lf >= 0; lf = bytes.indexOf(LF, lf + 1)) {
    if (hasCr) {
      const cr = bytes.indexOf('\r\r', start)
      if (cr >= 0 && cr < lf) return cr + 2
      if (bytes[lf + 1] === CR && bytes[lf + 2] === LF) return lf + 3
    }
    if (bytes[lf + 1] === LF) return lf + 2
  }
  const cr = hasCr ? bytes.indexOf('\r\r', start) : -1
  return cr >= 0 ? cr + 2 : bytes.length
}

/** The position after the last blank line of a chunk; 0 if there is none. */
const lastEnd = (chunk: Buffer): number => {
  const { length } = chunk
  if (length >= 2 && chunk[length - 1] === LF && chunk[length - 2] === LF) return length
  const lf = chunk.lastIndexOf('\n\n')
  const crlf = chunk.lastIndexOf('\n\r\n')
  const cr = chunk.lastIndexOf('\r\r')
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 3, cr < 0 ? 0 : cr + 2)
}

/** The end in a chunk of a blank line that began in the bytes before it; 0 if there is none. */
const endAcross = (before: Buffer, chunk: Buffer): number => {
  const last = before.at(-1)
  if (last === LF) {
    if (chunk[0] === LF) return 1
    return chunk[0] === CR && chunk[1] === LF ? 2 : 0
  }
  if (last !== CR) return 0
  if (chunk[0] === CR) return 1
  return before.at(-2) === LF && chunk[0] === LF ? 1 : 0
}

const LF = 0x0a
const CR = 0x0d
