import process from 'node:process'
import { performance } from 'node:perf_hooks'
import type { ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { BufferLease } from '../../model/exchange/body.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { resetSocket } from '../../upstream/connect/reset-socket.ts'
import { ReplySink } from './reply-sink.ts'
import { traceReply } from './trace-reply.ts'
import { formatLocalReply } from './format-local-reply.ts'
import { frame, isFinalResponse, unwritable } from './framing.ts'
import { setServerTiming } from './server-timing.ts'
import { informationalHead, switchingHead } from './http1-head.ts'

/** Writes the reply of one exchange to an HTTP/1.1 response. */
export class ClientSink extends ReplySink {
  readonly #res: ServerResponse

  /** @param ended Called once, when the response closed: everything about the exchange is known then. */
  constructor(x: Exchange, res: ServerResponse, ended: (x: Exchange) => void) {
    super(x, ended)
    this.#res = res
    res.on('close', () => {
      this.close(res.writableFinished)
    })
  }

  write(chunk: Uint8Array, loan?: BufferLease): boolean {
    this.x.downstream.sentBytes += chunk.length
    const goOn = this.#res.write(chunk)
    if (loan === undefined || !this.#isOut(chunk)) return goOn
    loan.release(chunk)
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
      // Nothing is on the wire yet.
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
    // A head whose body takes its time must not wait for it.
    if (!res.writableEnded && reply.body.lengthBytes !== 0) process.nextTick(flush, res, x)
  }

  /** Whether the kernel has everything, so that nothing here refers to the chunk any more. */
  #isOut(chunk: Uint8Array): boolean {
    const res = this.#res
    const { socket } = res
    // Only of a plain socket is it known that what is not waiting is not kept: a tunnel hands on the very chunk.
    if (socket?.constructor !== Socket || chunk.length < WRITTEN_AT_ONCE_BYTES) return false
    // Node collects what is written until the end of the turn.
    socket.uncork()
    return res.writableLength === 0
  }

  /** An accepted upgrade: from now on the connection carries bytes, not messages. */
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
    // Requests of one connection are served one after another, so that the socket is this response's own.
    const head = informationalHead(status, headers)
    const { socket } = this.#res
    if (head === undefined || !socket || socket.write(head, 'latin1')) return true
    socket.once('drain', resume)
    return false
  }

  /** Ends the connection in a way that no client takes for the end of the message. */
  protected cut(reason: string): void {
    this.x.downstream.truncatedBy ??= reason
    const { socket } = this.#res
    // To HTTP/1.0 the end of the connection is the end of the body; only a reset is not.
    if (this.x.request.httpVersion === '1.0' && socket?.constructor === Socket) resetSocket(socket)
    else this.#res.destroy()
  }
}

/** Whether what is left of the request can be read and thrown away cheaply, so that the connection stays usable. */
const willBeRead = (x: Exchange): boolean => (x.request.body.lengthBytes ?? Infinity) <= DISCARD_LIMIT_BYTES

/** A chunk that is worth a system call of its own. */
const WRITTEN_AT_ONCE_BYTES = 8_192

const DISCARD_LIMIT_BYTES = 65_536

const flush = (res: ServerResponse, x: Exchange): void => {
  // With a byte written the head is out, and flushing would write an empty chunk.
  if (x.downstream.sentBytes === 0 && !res.writableEnded && !res.destroyed) res.flushHeaders()
}

const pairs = (raw: readonly string[]): [string, string][] => {
  const list: [string, string][] = []
  for (let i = 0; i < raw.length; i += 2) list.push([raw[i] as string, raw[i + 1] as string])
  return list
}
