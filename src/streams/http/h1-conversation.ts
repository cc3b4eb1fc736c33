import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Body } from '../../model/body.ts'
import { readRequestHead, type RequestHead } from '../../protocols/http/request-head.ts'
import type { ClientConnection, Conversation } from './client-connection.ts'
import type { Responder } from './gate.ts'
import { connectDoorway } from './connect.ts'
import { isUpgrade, requestOf, takeBody } from './h1-request.ts'
import { responseAfterSwitch } from './h1-switch.ts'
import type { Http1Message } from './h1-message.ts'
import { headersTooLarge, type Refusal, refusalBytes, refusalOf, refusalReply } from './refusal.ts'
import { destroyWhenStill } from './half-close.ts'
import { linger } from './linger.ts'
import { doorwayOf } from './serve.ts'

/**
 * One HTTP/1.1 connection. Requests that were pipelined wait for the answer to the one before: a client that sends a
 * GET behind a POST wants them in that order, and one connection shall not fill the process with exchanges.
 */
export class Http1Conversation implements Conversation {
  readonly #connection: ClientConnection
  readonly #socket: Socket
  readonly #destroySoon: () => void
  /** The exchange under way. */
  #response: ServerResponse | undefined = undefined
  #responder: Responder | undefined = undefined
  readonly #waiting: ServerResponse[] = []
  /** The next answer is the last. */
  #closing = false
  /** What comes now is no request: what came before it was broken. */
  #refused = false
  #ending = false

  constructor(connection: ClientConnection, socket: Socket) {
    this.#connection = connection
    this.#socket = socket
    // Node ends a connection after its last answer with this method.
    // Tunnels are streams that do not have it.
    this.#destroySoon =
      (socket.destroySoon as typeof socket.destroySoon | undefined)?.bind(socket) ??
      (() => socket.end(() => socket.destroy()))
    socket.destroySoon = () => this.#end()
    socket.once('end', () => this.#halfClosed())
  }

  /** Takes the next request, in the order in which they came. */
  take(res: ServerResponse): void {
    if (this.#refused || this.#ending) return
    if (!this.#response) {
      this.#serve(res, true)
      return
    }
    this.#waiting.push(res)
    // Node resumes the socket whenever a message is complete; the bytes at hand must have been parsed before it rests.
    if (this.#waiting.length === 1) process.nextTick(() => this.#rest())
  }

  /** Takes a request that asks for another protocol on this connection: an allowed upgrade, or a CONNECT. */
  change(req: IncomingMessage, head: Buffer): void {
    // Behind an answer that is still due there is no place to answer, and no reason for a client to ask.
    if (this.#refused || this.#ending || this.#response) this.#socket.destroy()
    else this.#serve(responseAfterSwitch(req, this.#socket, head), false)
  }

  /** Takes an error of the parser, a time-out, or an error of the socket. */
  break(error: NodeJS.ErrnoException): void {
    if (this.#refused || this.#ending) return
    const refusal = refusalOf(error)
    if (!refusal) this.#socket.destroy()
    else if (this.#response) this.#interrupt(refusal, this.#response.req.complete)
    else {
      this.#note(refusal)
      if (this.#socket.writable) this.#socket.write(refusalBytes(refusal))
      this.#end()
    }
  }

  retire(): void {
    this.#closing = true
    if (this.#response) this.#response.shouldKeepAlive = false
  }

  /** As `retire`, and at once if nothing is under way, or nothing that ever ends by itself. */
  close(): void {
    this.retire()
    this.#responder?.endTunnel?.('open for too long')
    if (this.#response) return
    this.#refused = true
    this.#end()
  }

  ended(): void {
    this.#response = undefined
    this.#responder = undefined
    const next = this.#waiting.shift()
    if (this.#waiting.length === 0 && this.#socket.isPaused()) this.#socket.resume()
    if (next) this.#serve(next, false)
    else if (this.#closing) this.#end()
  }

  /** @param isFresh Nothing of its body has been parsed yet. */
  #serve(res: ServerResponse, isFresh: boolean): void {
    this.#response = res
    const req = res.req as Http1Message
    const { http1 } = this.#connection.port
    if (this.#closing) res.shouldKeepAlive = false
    if (req.rawHeaders.length > http1.maxHeaders * 2) {
      this.#turnAway(headersTooLarge)
      return
    }
    const head = readRequestHead(
      req.method ?? '',
      req.url ?? '',
      req.httpVersion,
      req.rawHeaders,
      http1.pathRules,
    )
    if ('refused' in head) {
      this.#turnAway({ status: head.status, code: head.refused, message: `invalid request: ${head.message}` })
      return
    }
    if (isUpgrade(req) && head.hasBody) {
      this.#turnAway(bodyWithUpgrade)
      return
    }
    if (head.chunked)
      req.onBadTrailers = ({ refused: code, message }) =>
        this.#interrupt({ status: 400, code, message: `invalid request: ${message}` }, false)
    takeBody(res, head, isFresh, (body) => this.#begin(req, res, head, body))
  }

  #begin(req: IncomingMessage, res: ServerResponse, head: RequestHead, body: Body): void {
    // Gone, or refused, while its body was held.
    if (res.destroyed || this.#refused) return
    const connection = this.#connection
    const { served, serving } = connection.port
    const doorway =
      head.method === 'CONNECT'
        ? connectDoorway(connection, served, head)
        : doorwayOf(served, connection, head.host)
    const x = serving.open(served, doorway, requestOf(connection, req, head, body))
    const responder = serving.responders.http1(x, res, serving.ended)
    this.#responder = responder
    serving.run(x, doorway, responder)
  }

  /** Answers a request that may not become an exchange. */
  #turnAway(refusal: Refusal): void {
    this.#note(refusal)
    const res = this.#response
    if (!res) return
    const { status, message } = refusal
    res.shouldKeepAlive = false
    res.writeHead(status, [
      'content-type',
      'text/plain',
      'content-length',
      String(Buffer.byteLength(message)),
    ])
    res.end(message)
  }

  /** What came broke off while an exchange is under way, in its own request or, if that is whole, behind it. */
  #interrupt(refusal: Refusal, whole: boolean): void {
    if (!this.#responder) {
      this.#turnAway(refusal)
      return
    }
    this.#note(refusal)
    if (whole) this.retire()
    else this.#responder.interrupt(refusalReply(refusal))
  }

  #note({ status, code }: Refusal): void {
    this.#refused = true
    this.#waiting.length = 0
    const { served, serving } = this.#connection.port
    serving.gate.connections?.refused(served.bind.labels, status, code)
  }

  #rest(): void {
    if (this.#waiting.length > 0) this.#socket.pause()
  }

  #halfClosed(): void {
    const { served } = this.#connection.port
    if (this.#response) destroyWhenStill(this.#socket, served.bind.frontend.http.halfCloseGraceMs)
  }

  #end(): void {
    if (this.#ending) return
    this.#ending = true
    if (this.#refused || this.#response?.req.complete === false) linger(this.#socket)
    else this.#destroySoon()
  }
}

const bodyWithUpgrade: Refusal = {
  status: 400,
  code: 'body_with_upgrade',
  message: 'invalid request: an upgrade has no body',
}
