import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Body } from '../../../model/exchange/body.ts'
import { readRequestHead, type RequestHead } from '../../../protocols/http/request-head.ts'
import type { ClientConnection, ConnectionDriver } from '../connection/client-connection.ts'
import type { Responder } from '../port/port-hooks.ts'
import { connectListener } from '../connection/connect-tunnel.ts'
import { isUpgrade, toExchangeRequest, takeBody } from './request.ts'
import { responseAfterSwitch } from './upgrade.ts'
import type { HeadRefusal } from '../../../protocols/http/head-error.ts'
import type { Http1Message, Http1MessageObserver } from './message.ts'
import {
  bodyWithUpgrade,
  writeRefusal,
  headersTooLarge,
  type RejectedRequest,
  refusalBytes,
  rejectionOf,
  rejectionReply,
} from '../connection/rejected-request.ts'
import { destroyWhenStill } from '../connection/half-close.ts'
import { PacedReading } from './paced-reading.ts'
import { destroySoonOf, linger } from '../connection/lingering-close.ts'
import type { ConnectionActivity } from '../connection/connection-activity.ts'
import { http1Activity } from './activity.ts'
import { matchListener } from '../port/serve.ts'
import type { Waiting } from '../connection/event-loop-turns.ts'

/** One HTTP/1.1 connection: requests are served one at a time; pipelined ones in their order. */
export class Http1Connection implements ConnectionDriver, Waiting, Http1MessageObserver {
  readonly #connection: ClientConnection
  readonly #socket: Socket
  readonly #destroySoon: () => void
  /** The exchange under way. */
  #response: ServerResponse | undefined = undefined
  #responder: Responder | undefined = undefined
  readonly #waiting: ServerResponse[] = []
  /** The next reply is the last, and announces it if possible. */
  #closing = false
  /** The client knows which reply is the last, or its requests are no longer awaited. */
  #isLast = false
  /** Input after a malformed request: no further requests are parsed. */
  #refused = false
  #ending = false
  /** No request has been received yet. */
  isFirst = true
  /** Set once the client has sent more at a time than should be parsed at a time. */
  #paced: PacedReading | undefined = undefined

  constructor(connection: ClientConnection, socket: Socket) {
    this.#connection = connection
    this.#socket = socket
    // Node ends a connection after its last response with this method.
    this.#destroySoon = destroySoonOf(socket)
    socket.destroySoon = () => this.#end()
    socket.once('end', () => {
      if (this.#response) destroyWhenStill(socket, connection.port.served.bind.frontend.http.halfCloseGraceMs)
    })
  }

  /** Accepts the next request, in order. */
  take(res: ServerResponse): void {
    if (this.#refused || this.#ending) return
    this.isFirst = false
    if (!this.#response && this.#waiting.length === 0) {
      this.#serve(res, true)
      return
    }
    this.#waiting.push(res)
    // Node resumes the socket whenever a message is complete; buffered bytes must have been parsed before it pauses.
    if (this.#waiting.length === 1) process.nextTick(() => this.#rest())
  }

  /**
   * Parses in small pieces from now on: the client sends many requests at once, or a body in many small chunks.
   *
   * @param first Bytes received before, and not yet parsed.
   */
  pace(first?: Buffer): void {
    if (this.#socket.destroyed) return
    this.#paced ??= new PacedReading(this.#socket, this.#connection.port.serving.turns, () =>
      this.#canTakeMore(),
    )
    if (first) this.#paced.begin(first)
  }

  onFragments(): void {
    this.pace()
  }

  onBadTrailers({ refused: code, message }: HeadRefusal): void {
    this.#interrupt({ status: 400, code, message: `invalid request: ${message}` }, false)
  }

  /** Serves the oldest queued request, unless the connection has been refused or is busy. */
  takeTurn(): void {
    if (this.#response || this.#refused || this.#ending) return
    const next = this.#waiting.shift()
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume()
    if (next) this.#serve(next, false)
  }

  /** Accepts a request for another protocol on this connection: an allowed upgrade, or a CONNECT. */
  change(req: IncomingMessage, head: Buffer): void {
    // An upgrade behind a pending reply is refused: there is nowhere to write its reply.
    if (this.#refused || this.#ending || this.#response || this.#waiting.length > 0) this.#socket.destroy()
    else this.#serve(responseAfterSwitch(req, this.#socket, head, this.#paced), false)
  }

  break(error: NodeJS.ErrnoException): void {
    if (this.#refused || this.#ending) return
    const refusal = rejectionOf(error)
    if (refusal) this.refuse(refusal)
    else this.#socket.destroy()
  }

  /** Replies to what follows the accepted requests with a rejection, and ends. */
  refuse(refusal: RejectedRequest): void {
    if (this.#refused || this.#ending) return
    if (this.#response) this.#interrupt(refusal, this.#response.req.complete)
    else {
      this.#recordRejection(refusal)
      if (this.#socket.writable) this.#socket.write(refusalBytes(refusal))
      this.#end()
    }
  }

  retire(): void {
    this.#closing = true
    // A reply head without `close` has invited another request: the reply after it announces the end.
    if (this.#response && !this.#response.headersSent && this.#waiting.length === 0) this.closeWhenIdle()
  }

  /** A partly received request is awaited: `Http1` closes connections that have none. */
  closeWhenIdle(): void {
    this.#closing = true
    this.#isLast = true
    if (this.#response) this.#response.shouldKeepAlive = false
  }

  /** As `closeWhenIdle`, and at once if nothing is under way, or only a tunnel, which may never end by itself. */
  close(): void {
    this.closeWhenIdle()
    this.#responder?.endTunnel?.('open for too long')
    // A pipelined request between two turns gets the last reply.
    if (this.#response || this.#waiting.length > 0 || this.#paced?.hasBytes) return
    this.#refused = true
    this.#end()
  }

  ended(): void {
    this.#response = undefined
    this.#responder = undefined
    // After the last reply the client knows that no later request was processed.
    if (this.#ending) return
    // Not at once: other connections have requests as well.
    if (this.#waiting.length > 0) this.#connection.port.serving.turns.wait(this)
    else if (this.#isLast || this.#refused) this.#end()
    else {
      if (this.#socket.isPaused()) this.#socket.resume()
      this.#paced?.resume()
    }
  }

  activity(): ConnectionActivity {
    return http1Activity(this.#responder?.x, this.#response, this.#waiting.length)
  }

  /** @param isFresh No byte of its body has been parsed yet. */
  #serve(res: ServerResponse, isFresh: boolean): void {
    this.#response = res
    const req = res.req as Http1Message
    const { http1 } = this.#connection.port
    const { method = '', url = '', httpVersion, rawHeaders } = req
    if (this.#isLast || (this.#closing && this.#waiting.length === 0)) this.closeWhenIdle()
    if (rawHeaders.length > http1.maxHeaders * 2) {
      this.#reject(headersTooLarge)
      return
    }
    const head = readRequestHead(method, url, httpVersion, rawHeaders, http1.pathRules)
    if ('refused' in head) {
      this.#reject({ status: head.status, code: head.refused, message: `invalid request: ${head.message}` })
      return
    }
    if (isUpgrade(req) && head.hasBody) {
      this.#reject(bodyWithUpgrade)
      return
    }
    req.observer = this
    takeBody(res, head, isFresh, (body) => this.#begin(req, res, head, body))
  }

  #begin(req: IncomingMessage, res: ServerResponse, head: RequestHead, body: Body): void {
    // Disconnected, or rejected, while its body was buffered.
    if (res.destroyed || this.#refused) return
    const connection = this.#connection
    const { served, serving } = connection.port
    const match =
      head.method === 'CONNECT'
        ? connectListener(connection, served, head)
        : matchListener(served, connection, head.host)
    const x = serving.open(served, match, toExchangeRequest(connection, req, head, body))
    this.#responder = serving.responders.http1(x, res, serving.ended)
    serving.run(x, match, this.#responder)
  }

  /** Replies to a request that may not become an exchange. */
  #reject(refusal: RejectedRequest): void {
    this.#recordRejection(refusal)
    if (this.#response) writeRefusal(this.#response, refusal)
  }

  /** The input is malformed while an exchange is under way: in its own request or, if that is complete, after it. */
  #interrupt(refusal: RejectedRequest, whole: boolean): void {
    if (!this.#responder) {
      this.#reject(refusal)
      return
    }
    this.#recordRejection(refusal)
    if (whole) this.retire()
    else this.#responder.interrupt(rejectionReply(refusal))
  }

  #recordRejection({ status, code }: RejectedRequest): void {
    this.#refused = true
    this.#waiting.length = 0
    const { served, serving } = this.#connection.port
    serving.hooks.connections?.refused(served.bind.labels, status, code)
  }

  #rest(): void {
    if (this.#waiting.length === 0) return
    this.pace()
    this.#socket.pause()
  }

  /** Whether the exchange under way needs bytes, or none is under way. */
  #canTakeMore(): boolean {
    return this.#waiting.length === 0 && !(this.#response?.req.complete ?? false)
  }

  #end(): void {
    if (this.#ending) return
    this.#ending = true
    if (this.#refused || this.#response?.req.complete === false) linger(this.#socket)
    else this.#destroySoon()
  }
}
