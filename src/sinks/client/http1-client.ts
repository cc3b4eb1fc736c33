import process from 'node:process'
import { performance } from 'node:perf_hooks'
import { type ServerResponse, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { BufferLease } from '../../model/exchange/body.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { isFieldValue, isToken } from '../../protocols/http/field-syntax.ts'
import { resetSocket } from '../../upstream/connect/reset-socket.ts'
import { ReplySink } from './reply-sink.ts'
import { traceReply } from './trace-reply.ts'
import { formatLocalReply } from './format-local-reply.ts'
import { frame, isFinalResponse, unwritable } from './framing.ts'
import { setServerTiming } from './server-timing.ts'

/** Writes the reply of one exchange to an HTTP/1.1 response. */
export class ClientSink extends ReplySink {
  readonly #res: ServerResponse

  /** @param ended Called once, when the response has closed and the exchange is complete. */
  constructor(x: Exchange, res: ServerResponse, ended: (x: Exchange) => void) {
    super(x, ended)
    this.#res = res
    res.on('close', () => {
      this.close(res.writableFinished)
    })
  }

  write(chunk: Uint8Array, lease?: BufferLease): boolean {
    this.x.downstream.sentBytes += chunk.length
    const hasRoom = this.#res.write(chunk)
    if (lease === undefined || !this.#isOut(chunk)) return hasRoom
    lease.release(chunk)
    return true
  }

  end(trailers?: readonly string[]): void {
    try {
      if (trailers) {
        if (this.x.reply) this.x.reply.trailers = trailers
        this.#res.addTrailers(pairs(trailers))
      }
      this.#res.end()
    } catch {
      this.cut('trailers that cannot be written')
    }
  }

  onDrain(resume: () => void): void {
    this.#res.once('drain', resume)
  }

  protected override commitLast(reply: Reply): void {
    this.#res.shouldKeepAlive = false
    this.commit(reply)
  }

  protected commit(given: Reply): void {
    const x = this.x
    let reply = given.error === undefined ? given : formatLocalReply(given, x)
    if (!isFinalResponse(reply, x)) reply = formatLocalReply(unwritable(reply), x)
    if (reply.tunnel) {
      x.reply = reply
      this.#switch(reply, reply.tunnel)
      return
    }
    const res = this.#res
    if (!res.req.complete && !willBeRead(x)) res.shouldKeepAlive = false
    setServerTiming(reply, x)
    let bodiless = frame(reply, x)
    try {
      res.writeHead(reply.status, reply.headers.spelled())
    } catch {
      // Nothing has been sent yet.
      reply = formatLocalReply(unwritable(reply), x)
      bodiless = frame(reply, x)
      res.writeHead(reply.status, reply.headers.spelled())
    }
    x.reply = reply
    x.downstream.committed = true
    x.downstream.committedAt = performance.now()
    if (x.probe) traceReply(x.probe, reply)
    if (bodiless) {
      reply.body.drop()
      res.end()
      return
    }
    this.pipe(reply)
    // Flushes the head if the body is late.
    if (!res.writableEnded && reply.body.lengthBytes !== 0) process.nextTick(flush, res, x)
  }

  /** Whether the kernel has all bytes, so that nothing in this process refers to the chunk. */
  #isOut(chunk: Uint8Array): boolean {
    const res = this.#res
    const { socket } = res
    // Only a plain socket keeps no reference to a chunk that is not queued: a tunnel passes on the chunk itself.
    if (socket?.constructor !== Socket || chunk.length < WRITTEN_AT_ONCE_BYTES) return false
    // Node corks writes until the end of the turn.
    socket.uncork()
    return res.writableLength === 0
  }

  /** Switches protocols after an accepted upgrade: the connection now carries bytes. */
  #switch(reply: Reply, tunnel: NonNullable<Reply['tunnel']>): void {
    const x = this.x
    const socket = this.#res.socket
    if (!socket) {
      tunnel.destroy()
      return
    }
    x.downstream.committed = true
    x.probe?.snapshot('final response')
    socket.write(switchingHead(reply), 'latin1')
    this.join(socket, tunnel)
  }

  sendInformational(status: number, headers: readonly string[], resume: () => void): boolean {
    const x = this.x
    if (x.downstream.committed || this.isOver || x.request.httpVersion === '1.0') return true
    // Requests of one connection are served one after another, so the socket belongs to this response.
    const head = informationalHead(status, headers)
    const { socket } = this.#res
    if (head === undefined || !socket || socket.write(head, 'latin1')) return true
    socket.once('drain', resume)
    return false
  }

  /** Ends the connection so that no client takes it for the end of the message. */
  protected cut(reason: string): void {
    this.x.downstream.truncatedBy ??= reason
    const { socket } = this.#res
    // In HTTP/1.0 the end of the connection is the end of the body; only a reset signals an error.
    if (this.x.request.httpVersion === '1.0' && socket?.constructor === Socket) resetSocket(socket)
    else this.#res.destroy()
  }
}

/** Whether the rest of the request can be read and discarded cheaply, so that the connection stays usable. */
const willBeRead = (x: Exchange): boolean => (x.request.body.lengthBytes ?? Infinity) <= DISCARD_LIMIT_BYTES

/** Minimum size of a chunk that is worth a system call of its own. */
const WRITTEN_AT_ONCE_BYTES = 8_192

const DISCARD_LIMIT_BYTES = 65_536

const flush = (res: ServerResponse, x: Exchange): void => {
  // Once a byte is written the head is sent, and flushing would write an empty chunk.
  if (x.downstream.sentBytes === 0 && !res.writableEnded && !res.destroyed) res.flushHeaders()
}

const pairs = (raw: readonly string[]): [string, string][] => {
  const list: [string, string][] = []
  for (let i = 0; i < raw.length; i += 2) list.push([raw[i] as string, raw[i + 1] as string])
  return list
}

/** The bytes of a 1xx response; undefined if it cannot be written, because hints are not worth an error. */
const informationalHead = (status: number, headers: readonly string[]): string | undefined => {
  if (!(status >= 102 && status <= 199)) return undefined
  const lines = fieldLines(headers)
  return lines === undefined
    ? undefined
    : `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Informational'}\r\n${lines}\r\n`
}

/** The head of the response to an accepted upgrade or CONNECT, the last HTTP of the connection. */
const switchingHead = (reply: Reply): string => {
  const { headers, status } = reply
  if (status === 101 && !headers.has('connection')) headers.append('connection', 'upgrade')
  const reason = status === 200 ? 'Connection Established' : (STATUS_CODES[status] ?? '')
  return `HTTP/1.1 ${status} ${reason}\r\n${fieldLines(headers.spelled()) ?? ''}\r\n`
}

const fieldLines = (raw: readonly string[]): string | undefined => {
  let lines = ''
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = raw[i] as string
    const value = raw[i + 1] as string
    if (!isToken(name) || !isFieldValue(value)) return undefined
    lines += `${name}: ${value}\r\n`
  }
  return lines
}
