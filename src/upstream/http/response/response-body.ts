import {
  type Body,
  bodyAlreadyUsed,
  type BodySink,
  bodyTooLarge,
  type BufferLease,
} from '../../../model/exchange/body.ts'
import { Fault } from '../../../model/exchange/fault.ts'

/** Unused bodies up to this size are read to their end, so that the connection stays usable. */
const DRAIN_LIMIT_BYTES = 65_536
/** An upstream that takes longer than this to finish such a body loses the connection all the same. */
const DRAIN_LIMIT_MS = 1_000

/**
 * The body of an upstream's response, fed by the client that made the call. It is the base of the calls themselves, so
 * that a response allocates no object of its own.
 *
 * Clients continue for a moment after `pause`, and some end while paused; chunks that come before there is a consumer
 * are buffered.
 */
export abstract class ResponseBody implements Body {
  lengthBytes: number | undefined = undefined
  /** Consumed, or discarded. */
  protected used = false
  #draining = false
  #sink: BodySink | undefined = undefined
  /** Chunks that came early. */
  #early: Uint8Array[] | undefined = undefined
  #ended = false
  #trailers: readonly string[] | undefined = undefined
  #fault: Fault | undefined = undefined
  #taken: (() => void) | undefined = undefined
  #onDrain: (() => void) | undefined = undefined

  /** Pauses the upstream. */
  protected abstract pause(): void
  protected abstract resume(): void
  /** The rest is not needed, and too long to be read. */
  protected abstract cut(): void
  /** Releases the connection, or this call's part in it. */
  protected abstract releaseConnection(): void

  pipe(to: BodySink): void {
    this.#take()
    if (this.#fault) {
      to.fail(this.#fault)
      return
    }
    const early = this.#early
    this.#early = undefined
    let hasRoom = true
    if (early) for (const chunk of early) hasRoom = to.write(chunk) && hasRoom
    if (this.#ended) {
      to.end(this.#trailers)
      if (this.#taken) queueMicrotask(this.#taken)
      return
    }
    this.#sink = to
    if (hasRoom) this.resume()
    else this.#wait(to)
  }

  read(limitBytes: number): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Uint8Array[] = []
      let sizeBytes = 0
      this.pipe({
        write: (chunk, lease) => {
          sizeBytes += chunk.length
          if (sizeBytes <= limitBytes) {
            chunks.push(lease ? Buffer.from(chunk) : chunk)
            lease?.release(chunk)
            return true
          }
          chunks.length = 0
          reject(bodyTooLarge(limitBytes))
          this.#sink = undefined
          this.cut()
          return true
        },
        end: () => resolve(Buffer.concat(chunks, sizeBytes)),
        fail: reject,
        onDrain: () => undefined,
      })
    })
  }

  drop(): void {
    if (this.used && !this.#sink) return
    this.used = true
    this.#sink = undefined
    this.#early = undefined
    if (this.#ended) {
      if (this.#taken) queueMicrotask(this.#taken)
    } else if (this.lengthBytes !== undefined && this.lengthBytes <= DRAIN_LIMIT_BYTES) {
      this.#draining = true
      this.resume()
    } else this.cut()
  }

  source(): never {
    throw new Fault('body_not_forwardable', 'the body of an answer cannot be sent as a request')
  }

  /** A chunk was received; its memory may be leased. */
  protected push(chunk: Uint8Array, lease?: BufferLease): void {
    const sink = this.#sink
    if (sink) {
      if (!sink.write(chunk, lease)) this.#wait(sink)
    } else if (this.used) lease?.release(chunk)
    else (this.#early ??= []).push(chunk)
  }

  /** The last byte was received. False if the body has no consumer yet: `whenTaken` calls back. */
  protected complete(trailers: readonly string[] | undefined): boolean {
    this.#ended = true
    this.#trailers = trailers
    const sink = this.#sink
    this.#sink = undefined
    sink?.end(trailers)
    return this.used
  }

  /** Calls back once a body that ended early has been consumed. */
  protected whenTaken(taken: () => void): void {
    this.#taken = taken
  }

  /** The body broke off. */
  protected breakOff(fault: Fault): void {
    this.#fault = fault
    this.#sink?.fail(fault)
    this.#sink = undefined
  }

  /** The call is aborted: a short rest that is being read to its end may still come, anything else is cut off. */
  protected abandon(): void {
    if (this.#draining) setTimeout(() => this.releaseConnection(), DRAIN_LIMIT_MS).unref()
    else this.releaseConnection()
  }

  #wait(sink: BodySink): void {
    this.pause()
    sink.onDrain((this.#onDrain ??= () => this.resume()))
  }

  #take(): void {
    if (this.used) throw bodyAlreadyUsed()
    this.used = true
  }
}
