import { Buffer } from 'node:buffer'
import { IncomingMessage, type IncomingHttpHeaders } from 'node:http'
import { type HeadRefusal } from '../../../protocols/http/head-error.ts'
import { readTrailers } from '../../../protocols/http/trailers.ts'

/** Receives events of a message's body. */
export interface Http1MessageObserver {
  /** Called once, if the body comes in many small chunks. */
  onFragments(): void
  /** Called instead of the end, if the trailers are refused. */
  onBadTrailers(refusal: HeadRefusal): void
}

/**
 * A request as Node's parser fills it, different in three ways.
 *
 * Its end is withheld if its trailers are refused: an upstream that is receiving the body must not see that body end.
 * Destroying it leaves the socket open: an upstream's client that lost its connection destroys the body it was sending,
 * and a reply still has to be written to that socket. Small chunks of the body that arrive together are passed on as
 * one: each by itself would cost as much as a large one.
 */
export class Http1Message extends IncomingMessage {
  /**
   * The connection. A reference, not closures made for each request: what they captured of one request kept the next
   * alive until V8 collected the whole heap, which took 15 µs of a chat's 270.
   */
  observer: Http1MessageObserver | undefined = undefined
  /** Number of small chunks so far. */
  #fragments = 0
  /** Small chunks of this turn, to be passed on as one. */
  #gathered: Buffer[] | undefined = undefined
  #buffered: Buffer[] | undefined = undefined
  #whole: ((bytes: Buffer) => void) | undefined = undefined
  #released: NodeJS.Immediate | undefined = undefined
  #needed: IncomingHttpHeaders | undefined = undefined

  static {
    Object.defineProperty(Http1Message.prototype, 'headers', {
      get(this: Http1Message) {
        return (this.#needed ??= neededByNode(this.rawHeaders))
      },
    })
  }

  /**
   * Buffers the body while its first bytes are parsed. If the whole body came with the head, `whole` is called at once
   * and no stream is created; otherwise `partial` is called, and the body is a stream like any other.
   */
  bufferBody(whole: (bytes: Buffer) => void, partial: () => void): void {
    this.#whole = whole
    this.#buffered = []
    this.#released = setImmediate(() => {
      const buffered = this.#buffered ?? []
      this.#buffered = undefined
      for (const chunk of buffered) super.push(chunk)
      partial()
    })
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    if (this.#buffered) {
      this.#buffer(this.#buffered, chunk as Buffer | null)
      return true
    }
    // No reader is left: discard it, so that the client can finish sending and read its reply.
    if (this.destroyed) return true
    if (chunk && (chunk as Buffer).length < FRAGMENT_BYTES && this.#gather(chunk as Buffer)) return true
    if (this.#gathered) this.#passOn()
    if (chunk === null && this.rawTrailers.length > 0) {
      const trailers = readTrailers(this.rawTrailers)
      if ('refused' in trailers) {
        this.observer?.onBadTrailers(trailers)
        return false
      }
    }
    return super.push(chunk, encoding)
  }

  /** Buffers a small chunk for those right behind it. False if there have been few of them. */
  #gather(chunk: Buffer): boolean {
    if (++this.#fragments <= FEW_FRAGMENTS) return false
    if (this.#fragments === FEW_FRAGMENTS + 1) process.nextTick(() => this.observer?.onFragments())
    if (this.#gathered) this.#gathered.push(chunk)
    else {
      this.#gathered = [chunk]
      process.nextTick(() => this.#passOn())
    }
    return true
  }

  #passOn(): void {
    const gathered = this.#gathered
    if (!gathered || this.destroyed) return
    this.#gathered = undefined
    if (!super.push(Buffer.concat(gathered))) this.socket.pause()
  }

  #buffer(buffered: Buffer[], chunk: Buffer | null): void {
    if (chunk) {
      buffered.push(chunk)
      return
    }
    clearImmediate(this.#released)
    this.#buffered = undefined
    // As Node does with empty bodies: there is nothing left to emit.
    ;(this as Partial<Dumpable>)._dumpAndCloseReadable?.()
    this.#whole?.(buffered.length === 1 ? (buffered[0] as Buffer) : Buffer.concat(buffered))
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (!this.readableEnded || !this.complete) {
      // eslint-disable-next-line @typescript-eslint/no-deprecated -- as Node does: libraries still read it
      this.aborted = true
      this.emit('aborted')
    }
    // As in Node: an aborted message is no uncaught error if it has no listener.
    process.nextTick(callback, this.listenerCount('error') > 0 ? error : null)
  }
}

/** A chunk as small as this costs more to pass on than to copy. */
const FRAGMENT_BYTES = 64
/** Event streams and measurements may come in small chunks that should be passed on at once. */
const FEW_FRAGMENTS = 64

interface Dumpable {
  _dumpAndCloseReadable(): void
}

/**
 * Node reads only these of `headers`, and would build an object of all fields for that; everything else reads
 * `rawHeaders`. Together with `optimizeEmptyRequests` this took a GET from 1.2 × the CPU of a bare proxy to 1.05 ×.
 */
const neededByNode = (raw: readonly string[]): IncomingHttpHeaders => {
  let found: IncomingHttpHeaders | undefined
  for (let i = 0; i < raw.length; i += 2) {
    const name = raw[i] as string
    if (!isOfInterest(name.length)) continue
    const value = raw[i + 1]
    switch (name.toLowerCase()) {
      case 'expect':
        ;(found ??= {}).expect = value
        break
      case 'upgrade':
        ;(found ??= {}).upgrade = value
        break
      case 'content-length':
        ;(found ??= {})['content-length'] = value
        break
      case 'transfer-encoding':
        ;(found ??= {})['transfer-encoding'] = value
    }
  }
  return found ?? none
}

const isOfInterest = (length: number): boolean =>
  length === 6 || length === 7 || length === 14 || length === 17

const none: IncomingHttpHeaders = Object.freeze({})
