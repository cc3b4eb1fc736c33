import { Buffer } from 'node:buffer'
import { performance } from 'node:perf_hooks'
import type { Socket } from 'node:net'
import type { Turns, Waiting } from '../connection/event-loop-turns.ts'

/** Bytes that the parser gets at a time, if no head ends among them. */
const PIECE_BYTES = 1_024
/** Parsing time per connection and turn, in milliseconds. */
const SLICE_MS = 0.5

/**
 * Feeds the parser of a connection in small pieces, none of which has more than one head.
 *
 * Node reads 64 KiB at a time and parses all of it at once, up to 2,000 requests or 10,000 chunks of a body, and blocks
 * all other connections meanwhile. Connections without such input are read by Node itself, which is cheaper.
 */
export class PacedReading implements Waiting {
  readonly #socket: Socket
  readonly #turns: Turns
  readonly #takesMore: () => boolean
  readonly #push: (chunk: Buffer | null) => boolean
  readonly #read: (size: number) => void
  readonly #onResume = (): void => this.#resumed()
  #rest: Buffer | undefined = undefined
  #hasEnded = false
  #isWaiting = false
  #isReleased = false

  /** @param takesMore Whether the connection can use more bytes now. */
  constructor(socket: Socket, turns: Turns, takesMore: () => boolean) {
    this.#socket = socket
    this.#turns = turns
    this.#takesMore = takesMore
    // With a `data` listener Node stops reading by itself, and bytes come through `push`.
    socket.on('data', ignore)
    this.#push = socket.push.bind(socket)
    socket.push = (chunk: Buffer | null) => this.#receive(chunk)
    // Node reads on whenever a request is complete: 64 KiB for each, of which the parser takes one head.
    this.#read = socket._read.bind(socket)
    socket._read = (size: number) => {
      if (this.#rest === undefined) this.#read(size)
    }
    socket.on('resume', this.#onResume)
  }

  /** Whether bytes have been read that have not been parsed. */
  get hasBytes(): boolean {
    return this.#rest !== undefined
  }

  /** Queues bytes that were read before. */
  begin(bytes: Buffer): void {
    this.#receive(bytes)
  }

  /** The connection may be able to use more bytes. */
  resume(): void {
    if (this.#isWaiting || !this.#rest || !this.#canResume) return
    this.#isWaiting = true
    this.#turns.wait(this)
  }

  /** The parser has released the connection: unparsed and further bytes go to its new reader. */
  release(): void {
    const socket = this.#socket
    const rest = this.#rest
    this.#isReleased = true
    this.#rest = undefined
    socket.push = this.#push
    socket._read = this.#read
    socket.off('data', ignore).off('resume', this.#onResume)
    if (rest) this.#push(rest)
    if (this.#hasEnded) this.#push(null)
    else if (!socket.destroyed) socket._read(0)
  }

  takeTurn(): void {
    this.#isWaiting = false
    const endsAt = performance.now() + SLICE_MS
    while (this.#rest && this.#canResume) {
      const rest = this.#rest
      const end = lengthOfPiece(rest)
      this.#rest = end < rest.length ? rest.subarray(end) : undefined
      this.#push(rest.subarray(0, end))
      if (performance.now() >= endsAt) break
    }
    this.#readOn()
  }

  /** Continues after a turn, in which the connection may have been released. */
  #readOn(): void {
    if (this.#rest) this.resume()
    else if (this.#isReleased) return
    else if (this.#hasEnded) this.#push(null)
    else if (!this.#socket.destroyed) this.#socket._read(0)
  }

  #resumed(): void {
    if (this.#rest) this.resume()
    else if (!this.#hasEnded) this.#socket._read(0)
  }

  get #canResume(): boolean {
    const socket = this.#socket
    return !socket.destroyed && !socket.isPaused() && this.#takesMore()
  }

  /** Bytes, or the end, were received. Reading pauses until they are parsed. */
  #receive(chunk: Buffer | null): boolean {
    if (chunk === null) {
      this.#hasEnded = true
      return this.#rest ? false : this.#push(null)
    }
    this.#rest = this.#rest ? Buffer.concat([this.#rest, chunk]) : chunk
    this.resume()
    return false
  }
}

const lengthOfPiece = (bytes: Buffer): number => {
  const end = bytes.indexOf(END_OF_HEAD)
  return Math.min(bytes.length, end < 0 ? PIECE_BYTES : Math.min(end + END_OF_HEAD.length, PIECE_BYTES))
}

const END_OF_HEAD = '\r\n\r\n'

/** Whether the first bytes of a connection contain more than one head and its body. */
export const hasSeveralHeads = (bytes: Buffer): boolean => {
  const end = bytes.indexOf(END_OF_HEAD)
  return end >= 0 && bytes.includes(END_OF_HEAD, end + END_OF_HEAD.length)
}

const ignore = (): void => undefined
