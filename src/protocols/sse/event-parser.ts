/** An event as it came. */
export interface ReceivedEvent {
  /** Undefined means `message`. */
  readonly event: string | undefined
  /** Its lines, joined by LF. */
  readonly data: string
  /** Undefined if the stream has given no id since the event before. */
  readonly id: string | undefined
}

/** Takes what a stream of events says. */
export interface EventSink {
  event(event: ReceivedEvent): void
  /** How long the stream wants a client to wait before it connects again. */
  retry?(ms: number): void
  /** An event is longer than the limit: nothing comes any more. */
  overflow(): void
}

/**
 * Reads `text/event-stream` (WHATWG HTML, section 9.2.6) from chunks that may end anywhere, be it inside of a character.
 *
 * Looks for line breaks among the bytes and decodes whole lines, so that characters never need to be put together. What
 * a chunk leaves unfinished is copied: the chunk is not kept.
 *
 * @example
 * const said: string[] = []
 * const parser = new EventParser({ event: ({ data }) => said.push(data), overflow: () => undefined }, 1024 * 1024)
 * parser.push(Buffer.from('data: a\n\nda'))
 * parser.push(Buffer.from('ta: b\n\n'))
 * said // ['a', 'b']
 */
export class EventParser {
  readonly #sink: EventSink
  readonly #limitBytes: number
  /** The line that has not ended: as many bytes of it as `#heldBytes` says. */
  #held: Buffer = nothing
  #heldBytes = 0
  /** Bytes of this event's lines that have ended. */
  #eventBytes = 0
  #state: 'first line' | 'lines' | 'over' = 'first line'
  /** The chunk before ended with CR, which a LF may belong to. */
  #afterCr = false
  #event = ''
  #data: string | undefined = undefined
  #id: string | undefined = undefined
  #lastEventId: string | undefined = undefined

  /** @param limitBytes Of one event: its lines together, and a comment. */
  constructor(sink: EventSink, limitBytes: number) {
    this.#sink = sink
    this.#limitBytes = limitBytes
  }

  /** With what to continue (`Last-Event-ID`), which an event without data may have said as well. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** Takes the next bytes; events that they complete are told before it returns. */
  push(chunk: Uint8Array): void {
    const bytes = Buffer.isBuffer(chunk)
      ? chunk
      : Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    if (this.#afterCr && bytes.length > 0) {
      this.#afterCr = false
      if (bytes[0] === LF) start = 1
    }
    let cr = bytes.indexOf(CR, start)
    while (this.#state !== 'over' && start < bytes.length) {
      const lf = bytes.indexOf(LF, start)
      // Most streams have no CR: they are looked for once a chunk.
      const breaksAtCr = cr >= 0 && (lf < 0 || cr < lf)
      const end = breaksAtCr ? cr : lf
      if (end < 0) {
        this.#hold(bytes, start)
        return
      }
      this.#line(bytes, start, end)
      start = end + 1
      if (!breaksAtCr) continue
      if (start === bytes.length) this.#afterCr = true
      else if (bytes[start] === LF) start++
      cr = bytes.indexOf(CR, start)
    }
  }

  /** The stream has ended. An event without its blank line is none. */
  end(): void {
    this.#state = 'over'
    this.#held = nothing
    this.#data = undefined
  }

  #hold(bytes: Buffer, start: number): void {
    const size = this.#heldBytes + bytes.length - start
    if (this.#isTooMuch(size)) return
    if (size > this.#held.length) {
      // Twice as much as is needed, so that a line of many chunks is not copied for each of them.
      const larger = Buffer.allocUnsafe(Math.min(size * 2, this.#limitBytes))
      this.#held.copy(larger, 0, 0, this.#heldBytes)
      this.#held = larger
    }
    bytes.copy(this.#held, this.#heldBytes, start)
    this.#heldBytes = size
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const size = this.#heldBytes + end - start
    if (this.#isTooMuch(size)) return
    let text: string
    if (this.#heldBytes === 0) text = bytes.toString('utf8', start, end)
    else {
      this.#hold(bytes.subarray(0, end), start)
      text = this.#held.toString('utf8', 0, size)
      this.#heldBytes = 0
      if (this.#held.length > KEPT_BYTES) this.#held = nothing
    }
    if (this.#state === 'first line') {
      this.#state = 'lines'
      if (text.startsWith('\uFEFF')) text = text.slice(1)
    }
    if (text === '') this.#dispatch()
    else if (!text.startsWith(':')) {
      this.#eventBytes += size
      this.#field(text)
    }
  }

  #isTooMuch(lineBytes: number): boolean {
    if (this.#eventBytes + lineBytes <= this.#limitBytes) return false
    this.end()
    this.#sink.overflow()
    return true
  }

  #field(text: string): void {
    const colon = text.indexOf(':')
    const name = colon < 0 ? text : text.slice(0, colon)
    const value = colon < 0 ? '' : text.slice(text[colon + 1] === ' ' ? colon + 2 : colon + 1)
    if (name === 'data') this.#data = this.#data === undefined ? value : `${this.#data}\n${value}`
    else if (name === 'event') this.#event = value
    else if (name === 'id') {
      if (!value.includes('\0')) this.#id = value
    } else if (name === 'retry' && digits.test(value)) this.#sink.retry?.(Number(value))
  }

  #dispatch(): void {
    const [event, data, id] = [this.#event, this.#data, this.#id]
    this.#event = ''
    this.#data = undefined
    this.#eventBytes = 0
    if (id !== undefined) this.#lastEventId = id
    if (data === undefined) return
    this.#id = undefined
    this.#sink.event({ event: event === '' ? undefined : event, data, id })
  }
}

const LF = 0x0a
const CR = 0x0d
/** A buffer for lines larger than this is not kept for the next one. */
const KEPT_BYTES = 64 * 1024
const nothing = Buffer.alloc(0)
const digits = /^\d+$/
