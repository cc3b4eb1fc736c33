import type { ServerHttp2Stream } from 'node:http2'
import type { Turns, Waiting } from '../connection/event-loop-turns.ts'

/** Requests that a connection may begin in one turn of the event loop; the others queue. */
const REQUESTS_PER_TURN = 4

/**
 * The requests of an HTTP/2 connection that came in one burst. One read may bring as many as there may be streams, and
 * beginning all of them at once would block every other connection.
 */
export class RequestQueue implements Waiting {
  readonly #turns: Turns
  readonly #open: (stream: ServerHttp2Stream, rawHeaders: readonly string[]) => void
  readonly #onClosed: (stream: ServerHttp2Stream) => void
  readonly #waiting = new Map<ServerHttp2Stream, QueuedRequest>()
  /** The turn of the event loop in which a request began last, and how many began in it. */
  #turn = -1
  #begun = 0

  /**
   * @param open Begins a request.
   * @param onClosed Called with a stream that closed while it was queued.
   */
  constructor(
    turns: Turns,
    open: (stream: ServerHttp2Stream, rawHeaders: readonly string[]) => void,
    onClosed: (stream: ServerHttp2Stream) => void,
  ) {
    this.#turns = turns
    this.#open = open
    this.#onClosed = onClosed
  }

  /** Requests that have come and have not begun. */
  get pending(): number {
    return this.#waiting.size
  }

  /** Begins a request now or, behind others, later. */
  take(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    const { current } = this.#turns
    if (this.#turn !== current) {
      this.#turn = current
      this.#begun = 0
    }
    if (this.#waiting.size === 0 && this.#begun < REQUESTS_PER_TURN) {
      this.#begun++
      this.#open(stream, rawHeaders)
      return
    }
    const queued: QueuedRequest = { rawHeaders, trailers: undefined }
    this.#waiting.set(stream, queued)
    // Node buffers a body until it is read, but reports the trailers after it only once.
    stream.once('trailers', (...trailers: unknown[]) => {
      queued.trailers = trailers
    })
    stream.once('close', () => {
      if (this.#waiting.delete(stream)) this.#onClosed(stream)
    })
    if (this.#waiting.size === 1) this.#turns.wait(this)
  }

  takeTurn(): void {
    const [next] = this.#waiting
    if (!next) return
    const [stream, { rawHeaders, trailers }] = next
    this.#waiting.delete(stream)
    if (this.#waiting.size > 0) this.#turns.wait(this)
    this.#open(stream, rawHeaders)
    if (trailers) stream.emit('trailers', ...trailers)
  }
}

/** A request that has not begun. */
interface QueuedRequest {
  readonly rawHeaders: readonly string[]
  /** Trailers that Node reported meanwhile. */
  trailers: readonly unknown[] | undefined
}
