import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import { defaultPathRules, type PathRules } from '../../protocols/http/path.ts'
import type { ClientConnection } from './client-connection.ts'
import { Http1Conversation } from './h1-conversation.ts'
import { allowedUpgrade } from './h1-switch.ts'
import { Http1Message } from './h1-message.ts'

/**
 * The HTTP/1.1 side of a port: an `http.Server` that never listens and is handed sockets instead.
 */
export class Http1 {
  readonly #server: Server<typeof Http1Message>
  pathRules: PathRules = defaultPathRules
  preservesCase = false
  maxHeaders = 0
  upgrades: ReadonlySet<string> = new Set()

  constructor() {
    const server = createServer({
      IncomingMessage: Http1Message,
      optimizeEmptyRequests: true,
      // What Node says about a missing Host has no body.
      requireHostHeader: false,
      keepAliveTimeoutBuffer: 0,
      connectionsCheckingInterval: CHECK_TIME_OUTS_EVERY_MS,
      // A protocol that is not allowed is not refused: the request is served as if it had not asked.
      shouldUpgradeCallback: (req) => allowedUpgrade(req.headers.upgrade, this.upgrades) !== undefined,
    })
    const serve = (req: IncomingMessage, res: ServerResponse) => conversationOf(req.socket).take(res)
    server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve)
    const change = (req: IncomingMessage, stream: Duplex, head: Buffer) =>
      conversationOf(stream).change(req, head)
    server.on('upgrade', change).on('connect', change)
    server.on('clientError', (error, stream) => conversationOf(stream).break(error))
    // Node would cut a request whose client half-closes; here `Http1Conversation` decides how long it may go on.
    Object.assign(server, { httpAllowHalfOpen: true })
    // Header and request time-outs are only enforced once a server listens: this one is told that it does.
    server.emit('listening')
    this.#server = server
  }

  configure({ http }: FrontendPolicies): void {
    const server = this.#server
    server.headersTimeout = http.headersTimeoutMs
    server.requestTimeout = http.requestBodyTimeoutMs && http.headersTimeoutMs + http.requestBodyTimeoutMs
    server.keepAliveTimeout = http.idleTimeoutMs
    // Node leaves out what is beyond its count of fields; here too many are an error.
    server.maxHeadersCount = 0
    Object.assign(server, { maxHeaderSize: http.maxHeaderBytes })
    this.pathRules = http.path
    this.preservesCase = http.headerCase === 'preserve'
    this.maxHeaders = http.maxHeaders
    this.upgrades = new Set(http.upgrades)
  }

  /** Serves the requests that arrive on a stream. */
  accept(stream: Duplex, connection: ClientConnection): void {
    const conversation = new Http1Conversation(connection, stream as Socket)
    connection.conversation = conversation
    ;(stream as Carrier)[carried] = conversation
    this.#server.emit('connection', stream)
  }

  /** Closes the connections on which no request has begun to arrive. */
  closeIdle(): void {
    this.#server.closeIdleConnections()
  }

  /** Stops looking for time-outs. */
  stop(): void {
    this.#server.close()
  }
}

/** How often Node looks for requests that are too slow: the grain of header and body time-outs. */
const CHECK_TIME_OUTS_EVERY_MS = 500

/** Where a stream keeps what goes on over it: one property read per request. */
const carried = Symbol('conversation')

interface Carrier {
  [carried]?: Http1Conversation
}

const conversationOf = (stream: Duplex): Http1Conversation =>
  (stream as Carrier)[carried] as Http1Conversation
