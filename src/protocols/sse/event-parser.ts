/** A received event. */
export interface ReceivedEvent {
  /** Undefined means `message`. */
  readonly event: string | undefined
  /** Its lines, joined by LF. */
  readonly data: string
  /** Undefined if there was no id since the previous event. */
  readonly id: string | undefined
}

/** Receives the events of a stream. */
export interface EventSink {
  event(event: ReceivedEvent): void
  /** The reconnection time that the stream requests. */
  retry?(ms: number): void
  /** An event is longer than the limit: no more events follow. */
  overflow(): void
}

/**
 * Parses `text/event-stream` (WHATWG HTML, section 9.2.6) from chunks that may end anywhere, even within a
 * character.
 *
 * Searches line breaks in the bytes and decodes whole lines, so that characters need not be reassembled. The
 * incomplete rest of a chunk is copied: the chunk is not retained.
 *
 * @example
 * const received: string[] = []
 * const parser = new EventParser({ event: ({ data }) => received.push(data), overflow: () => undefined }, 1024 * 1024)
 * parser.push(Buffer.from('data: a\n\nda'))
 * parser.push(Buffer.from('ta: b\n\n'))
 * received // ['a', 'b']
 */
export class EventParser {
  readonly #sink: EventSink
  readonly #limitBytes: number
  /** The incomplete line: its first `#bufferedBytes` bytes are valid. */
  #buffered: Buffer = nothing
  #bufferedBytes = 0
  /** Bytes of this event's completed lines. */
  #eventBytes = 0
  #state: 'first line' | 'lines' | 'over' = 'first line'
  /** The previous chunk ended with CR, which may be followed by LF. */
  #afterCr = false
  #event = ''
  #data: string | undefined = undefined
  #id: string | undefined = undefined
  #lastEventId: string | undefined = undefined

  /** @param limitBytes Maximum length of an event: all of its lines, and a comment. */
  constructor(sink: EventSink, limitBytes: number) {
    this.#sink = sink
    this.#limitBytes = limitBytes
  }

  /** The `Last-Event-ID` for a reconnection; an event without data may have set it, too. */
  get lastEventId(): string | undefined {
    return this.#lastEventId
  }

  /** Parses the next bytes; calls the sink for completed events before it returns. */
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
      // Most streams have no CR, so that it is searched once per chunk.
      const breaksAtCr = cr >= 0 && (lf < 0 || cr < lf)
      const end = breaksAtCr ? cr : lf
      if (end < 0) {
        this.#buffer(bytes, start)
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

  /** The stream has ended. An event without its blank line is dropped. */
  end(): void {
    this.#state = 'over'
    this.#buffered = nothing
    this.#data = undefined
  }

  #buffer(bytes: Buffer, start: number): void {
    const size = this.#bufferedBytes + bytes.length - start
    if (this.#isTooMuch(size)) return
    if (size > this.#buffered.length) {
      // Twice the needed size, so that a line of many chunks is not copied for each of them.
      const larger = Buffer.allocUnsafe(Math.min(size * 2, this.#limitBytes))
      this.#buffered.copy(larger, 0, 0, this.#bufferedBytes)
      this.#buffered = larger
    }
    bytes.copy(this.#buffered, this.#bufferedBytes, start)
    this.#bufferedBytes = size
  }

  #line(bytes: Buffer, start: number, end: number): void {
    const size = this.#bufferedBytes + end - start
    if (this.#isTooMuch(size)) return
    let text: string
    if (this.#bufferedBytes === 0) text = bytes.toString('utf8', start, end)
    else {
      this.#buffer(bytes.subarray(0, end), start)
      text = this.#buffered.toString('utf8', 0, size)
      this.#bufferedBytes = 0
      if (this.#buffered.length > KEPT_BYTES) this.#buffered = nothing
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
/** A larger line buffer is not kept for the next line. */
const KEPT_BYTES = 64 * 1024
const nothing = Buffer.alloc(0)
const digits = /^\d+$/
