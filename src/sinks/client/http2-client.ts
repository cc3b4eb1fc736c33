import { constants, type ServerHttp2Stream } from 'node:http2'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { announcedLength, frame, isFinalResponse, unwritable } from './framing.ts'
import { ReplySink } from './reply-sink.ts'
import { setServerTiming } from './server-timing.ts'
import { StreamWatch } from './stream-watch.ts'
import { traceReply } from './trace-reply.ts'
import { formatLocalReply } from './format-local-reply.ts'

/** Streams that are closed while Node waits for one of their sides. */
const watch = new StreamWatch()

/** Writes the reply of one exchange to an HTTP/2 stream. */
export class Http2ClientSink extends ReplySink {
  readonly #stream: ServerHttp2Stream
  #trailers: readonly string[] | undefined = undefined
  /** False while a part of the reply may not have been sent. */
  #isSent = true
  #isWatched = false
  /** Bytes of the request that were not read at the last check. */
  #unreadBytes: number | undefined = undefined

  /** @param ended Called once, when the stream has closed and the exchange is complete. */
  constructor(x: Exchange, stream: ServerHttp2Stream, ended: (x: Exchange) => void) {
    super(x, ended)
    this.#stream = stream
    stream.on('close', () => {
      this.#closed()
    })
    // A client may reset a stream without an error (destroyed sessions of `node:http2` do). If the reply is complete,
    // Node does not report it, and waits for bytes to be written that never will be.
    stream.on('end', () => {
      if (!stream.closed || stream.writableFinished) return
      this.#isSent = false
      this.#watch()
    })
  }

  write(chunk: Uint8Array): boolean {
    if (this.#stream.destroyed) return true
    this.x.downstream.sentBytes += chunk.length
    return this.#stream.write(chunk)
  }

  end(trailers?: readonly string[]): void {
    this.#trailers = trailers
    if (trailers && this.x.reply) this.x.reply.trailers = trailers
    this.#stream.end()
    this.#watchRequest()
  }

  /** A request that is not read has no `end`. */
  #watchRequest(): void {
    const stream = this.#stream
    if (!stream.readableEnded && !stream.endAfterHeaders) this.#watch()
  }

  #watch(): void {
    if (this.#stream.destroyed) return
    this.#isWatched = true
    watch.add(this)
  }

  /** Ends the stream once neither side can send, if nothing was written and nothing was read since the last check. */
  check(): void {
    const stream = this.#stream
    if (!stream.closed) return
    const { readableLength: unreadBytes, writableFinished } = stream
    const isStill = unreadBytes === this.#unreadBytes
    this.#unreadBytes = unreadBytes
    if (!isStill || (writableFinished && this.x.reply?.tunnel) || (!writableFinished && isBlocked(stream)))
      return
    this.#isSent &&= writableFinished
    stream.destroy()
  }

  onDrain(resume: () => void): void {
    this.#stream.once('drain', resume)
  }

  protected commit(given: Reply): void {
    const x = this.x
    const stream = this.#stream
    let reply = given.error === undefined ? given : formatLocalReply(given, x)
    x.downstream.committed = true
    if (stream.destroyed || stream.closed) {
      reply.body.drop()
      reply.tunnel?.destroy()
      stream.destroy()
      return
    }
    if (!isFinalResponse(reply, x)) reply = formatLocalReply(unwritable(reply), x)
    setServerTiming(reply, x)
    let bodiless = this.#respond(reply)
    if (bodiless === undefined) {
      reply = formatLocalReply(unwritable(reply), x)
      bodiless = this.#respond(reply)
    }
    x.reply = reply
    x.downstream.committedAt = performance.now()
    if (x.probe) traceReply(x.probe, reply)
    if (reply.tunnel) {
      reply.tunnel.once('end', () => this.#watchRequest())
      this.join(stream, reply.tunnel)
    } else if (bodiless) {
      reply.body.drop()
      this.#watchRequest()
    } else this.pipe(reply)
  }

  /** Writes the head. True if there is no body to follow, undefined if the head cannot be written. */
  #respond(reply: Reply): boolean | undefined {
    const isTunnel = reply.tunnel !== undefined
    const isLast = !isTunnel && (frame(reply, this.x) || announcedLength(reply.body) === 0)
    // Trailers are requested only where possible: a reply of known length has none.
    const waitForTrailers = !isLast && !isTunnel && announcedLength(reply.body) === undefined
    try {
      const head = headOf(reply)
      const fields = takesLists ? head : { ...fieldsOf(head), ':status': Number(head[1]) }
      this.#stream.respond(fields, { endStream: isLast, waitForTrailers })
    } catch {
      return undefined
    }
    if (waitForTrailers) {
      this.#isSent = false
      this.#stream.on('wantTrailers', () => this.#sendTrailers())
    }
    // The rest of the request is not needed (RFC 9113 section 8.1).
    if (!isTunnel) this.#stream.on('finish', () => this.#finish())
    return isLast
  }

  #sendTrailers(): void {
    const stream = this.#stream
    if (stream.destroyed) return
    this.#isSent = true
    try {
      stream.sendTrailers(fieldsOf(this.#trailers ?? []))
    } catch {
      this.cut('trailers that cannot be written')
    }
  }

  #finish(): void {
    const stream = this.#stream
    this.#isSent = true
    if (stream.readableEnded || stream.endAfterHeaders) stream.resume()
    else stream.close(constants.NGHTTP2_NO_ERROR)
  }

  /** HTTP/2 flow control does not cover heads: the upstream side limits pending hints. */
  sendInformational(status: number, headers: readonly string[]): boolean {
    if (this.x.downstream.committed || this.isOver || this.#stream.destroyed) return true
    try {
      this.#stream.additionalHeaders({ ':status': status, ...fieldsOf(headers) })
    } catch {
      // Hints that cannot be written are not worth an error.
    }
    return true
  }

  protected cut(reason: string): void {
    this.x.downstream.truncatedBy ??= reason
    // An error resets the stream with an error code; without one, clients take the body for complete.
    this.#stream.destroy(new Fault('cut', reason))
  }

  #closed(): void {
    if (this.#isWatched) watch.delete(this)
    const { writableEnded, aborted, rstCode } = this.#stream
    // Node may close before `finish` when both sides have ended, and ends streams of HEAD before the reply.
    const isSent = this.#isSent && this.x.downstream.committedAt > 0
    this.close(isSent && writableEnded && !aborted && rstCode === constants.NGHTTP2_NO_ERROR)
  }
}

/** Whether bytes wait in the connection, perhaps those of the stream: its client reads slowly. */
const isBlocked = ({ session }: ServerHttp2Stream): boolean => {
  const socket = session?.socket as WritingSocket | undefined
  return (socket?._handle?.writeQueueSize ?? socket?.writableLength ?? 0) > 0
}

/** Internals of a socket: HTTP/2 writes past its JavaScript side, whose `writableLength` stays 0. */
interface WritingSocket {
  readonly writableLength: number
  readonly _handle?: { readonly writeQueueSize?: number } | null
}

/** The fields of a head in their order. An accepted upgrade is a plain 200 here (RFC 8441 section 5). */
const headOf = (reply: Reply): string[] => {
  const { headers } = reply
  if (!reply.tunnel || reply.status !== 101) return [':status', String(reply.status), ...headers.raw]
  const head = [':status', '200']
  for (let i = 0; i + 1 < headers.raw.length; i += 2) {
    const name = headers.raw[i] as string
    if (!ofUpgrades.has(name)) head.push(name, headers.raw[i + 1] as string)
  }
  return head
}

/** Node before 22.20 takes heads only as objects, which loses the order of the fields but not their values. */
const takesLists = ((): boolean => {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  return major > 24 || (major === 24 && minor >= 7) || (major === 22 && minor >= 20)
})()

const ofUpgrades = new Set(['connection', 'upgrade', 'sec-websocket-accept'])

/** Fields as Node takes them for trailers and hints. */
const fieldsOf = (raw: readonly string[]): Record<string, string[]> => {
  const fields: Record<string, string[]> = {}
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = (raw[i] as string).toLowerCase()
    ;(fields[name] ??= []).push(raw[i + 1] as string)
  }
  return fields
}
