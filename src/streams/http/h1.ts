import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { emptyBody } from '../../model/body.ts'
import { Headers } from '../../model/headers.ts'
import type { FrontendPolicies } from '../../model/policies.ts'
import { Request } from '../../model/request.ts'
import { defaultPathRules, type PathRules } from '../../protocols/http/path.ts'
import { readRequestHead, type RequestHead } from '../../protocols/http/request-head.ts'
import { fieldSpelling } from '../../protocols/http/spelling.ts'
import type { ClientConnection } from './client-connection.ts'
import { Http1Body } from './h1-body.ts'
import type { Port } from './port.ts'
import { doorwayOf } from './serve.ts'

/**
 * The HTTP/1.1 side of a port: an `http.Server` that never listens and is handed sockets instead.
 */
export class Http1 {
  readonly #port: Port
  readonly #server: Server
  #pathRules: PathRules = defaultPathRules
  #preservesCase = false
  #maxHeaders = 100

  constructor(port: Port) {
    this.#port = port
    this.#server = createServer({
      requireHostHeader: false,
      keepAliveTimeoutBuffer: 0,
      connectionsCheckingInterval: 1_000,
    })
    this.#server.on('request', (req, res) => this.#serve(req, res))
    this.#server.on('checkContinue', (req, res) => this.#serve(req, res))
    this.#server.on('checkExpectation', (req, res) => this.#serve(req, res))
    // Half-closed clients are served; who watches over them is `half-close.ts`.
    ;(this.#server as Server & { httpAllowHalfOpen: boolean }).httpAllowHalfOpen = true
    // Header and request time-outs are only enforced once a server listens: this one is told that it does.
    this.#server.emit('listening')
  }

  configure({ http }: FrontendPolicies): void {
    const server = this.#server
    server.headersTimeout = http.headersTimeoutMs
    server.requestTimeout = http.requestBodyTimeoutMs && http.headersTimeoutMs + http.requestBodyTimeoutMs
    server.keepAliveTimeout = http.idleTimeoutMs
    // Node would leave out what is beyond the count; here that is an error, see `#serve`.
    server.maxHeadersCount = 0
    ;(server as Server & { maxHeaderSize: number }).maxHeaderSize = http.maxHeaderBytes
    this.#pathRules = http.path
    this.#preservesCase = http.headerCase === 'preserve'
    this.#maxHeaders = http.maxHeaders
  }

  /** Serves requests that arrive on a stream. */
  accept(stream: Duplex, connection: ClientConnection): void {
    ;(stream as Carrier)[connectionOf] = connection
    connection.retire = () => {
      connection.closing = true
      if (connection.response) connection.response.shouldKeepAlive = false
    }
    this.#server.emit('connection', stream)
  }

  /** Closes the connections that have no request under way. */
  closeIdle(): void {
    this.#server.closeIdleConnections()
  }

  #serve(req: IncomingMessage, res: ServerResponse): void {
    const connection = (req.socket as unknown as Carrier)[connectionOf] as ClientConnection
    if (connection.refused) return
    const { rawHeaders } = req
    if (rawHeaders.length > this.#maxHeaders * 2) {
      this.#refuse(connection, res, 431, 'too many header fields')
      return
    }
    const head = readRequestHead(
      req.method ?? '',
      req.url ?? '',
      req.httpVersion,
      rawHeaders,
      this.#pathRules,
    )
    if ('refused' in head) this.#refuse(connection, res, head.status, `invalid request: ${head.message}`)
    else this.#begin(connection, req, res, head)
  }

  #begin(connection: ClientConnection, req: IncomingMessage, res: ServerResponse, head: RequestHead): void {
    const { served, serving } = this.#port
    if (connection.closing) res.shouldKeepAlive = false
    const doorway = doorwayOf(served, connection, head.host)
    const x = serving.open(served, doorway, this.#request(connection, req, res, head))
    const responder = serving.responders.http1(x, res, serving.ended)
    connection.responder = responder
    connection.response = res
    serving.run(x, doorway, responder)
  }

  #request(
    connection: ClientConnection,
    req: IncomingMessage,
    res: ServerResponse,
    head: RequestHead,
  ): Request {
    return new Request({
      method: head.method,
      path: head.path,
      query: head.query,
      scheme: connection.tls ? 'https' : 'http',
      authority: head.authority,
      httpVersion: req.httpVersion === '1.1' ? '1.1' : '1.0',
      headers: new Headers(head.headers, this.#preservesCase ? fieldSpelling(req.rawHeaders) : undefined),
      body: head.hasBody
        ? new Http1Body(req, head.contentLength, head.expectsContinue ? res : undefined)
        : emptyBody,
      connection,
      upgrade: undefined,
      hasTrailers: head.trailerNames.length > 0,
    })
  }

  #refuse(connection: ClientConnection, res: ServerResponse, status: number, message: string): void {
    connection.refused = true
    res.shouldKeepAlive = false
    res.writeHead(status, [
      'content-type',
      'text/plain',
      'content-length',
      String(Buffer.byteLength(message)),
    ])
    res.end(message)
  }
}

/** Where a stream keeps the connection it carries: one property read per request. */
const connectionOf = Symbol('connection')

interface Carrier {
  [connectionOf]?: ClientConnection
}
