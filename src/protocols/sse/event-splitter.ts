/**
 * Cuts a stream of server-sent events into pieces that end where events end, so that whoever passes it on never shows
 * half of one. Chunks that end with an event go through as they are; what a chunk leaves unfinished is held.
 *
 * @example
 * const cutter = new EventCutter(1024 * 1024)
 * cutter.push(Buffer.from('data: a\n\ndata:'))?.toString() // 'data: a\n\n'
 * cutter.push(Buffer.from(' b\n\n'))?.toString() // 'data: b\n\n'
 */
export class EventCutter {
  readonly #limitBytes: number
  #held: Buffer[] = []
  #heldBytes = 0

  /** @param limitBytes Of what is held: one event. */
  constructor(limitBytes: number) {
    this.#limitBytes = limitBytes
  }

  /** An event is longer than the limit. Nothing more is to be pushed. */
  get isOver(): boolean {
    return this.#heldBytes > this.#limitBytes
  }

  /** The bytes of an event that has not ended; of what follows nothing is held any more. */
  rest(): Buffer {
    const rest = this.#held.length === 1 ? (this.#held[0] as Buffer) : Buffer.concat(this.#held)
    this.#held = []
    this.#heldBytes = 0
    return rest
  }

  /** As much as ends with the end of an event, with what was held before it; undefined if none ends here. */
  push(chunk: Buffer): Buffer | undefined {
    const end = lastEnd(chunk) || (this.#heldBytes ? endAcross(this.#held.at(-1) as Buffer, chunk) : 0)
    if (end === 0) {
      this.#hold(chunk)
      return undefined
    }
    const whole = end === chunk.length ? chunk : chunk.subarray(0, end)
    const passed = this.#heldBytes ? Buffer.concat([...this.#held, whole]) : whole
    this.#held = []
    this.#heldBytes = 0
    if (end < chunk.length) this.#hold(chunk.subarray(end))
    return passed
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return
    // Where the end of the event may lie across two chunks, the last bytes must be found in one piece.
    const last = this.#held.at(-1)
    if (last && last.length < 2) this.#held[this.#held.length - 1] = Buffer.concat([last, part])
    else this.#held.push(part)
    this.#heldBytes += part.length
  }
}

/**
 * Each event of bytes that end with one: where it begins and ends.
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

/** Behind the blank line that ends the event which begins there; the end of the bytes if there is none. */
export const endOfEvent = (bytes: Buffer, start: number): number => {
  // Few streams have CR: one search for a byte tells those that have none.
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

/** Behind the last blank line of a chunk; 0 if there is none. */
const lastEnd = (chunk: Buffer): number => {
  const { length } = chunk
  if (length >= 2 && chunk[length - 1] === LF && chunk[length - 2] === LF) return length
  const lf = chunk.lastIndexOf('\n\n')
  const crlf = chunk.lastIndexOf('\n\r\n')
  const cr = chunk.lastIndexOf('\r\r')
  return Math.max(lf < 0 ? 0 : lf + 2, crlf < 0 ? 0 : crlf + 3, cr < 0 ? 0 : cr + 2)
}

/** Where in a chunk a blank line ends that began in the bytes before it; 0 if none does. */
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
