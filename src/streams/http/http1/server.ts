import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { FrontendPolicies } from '../../../model/resources/frontend-policies.ts'
import { defaultPathRules, type PathRules } from '../../../protocols/http/path-rules.ts'
import type { ClientConnection } from '../connection/client-connection.ts'
import type { RequestRules } from '../port/port-services.ts'
import { Http1Connection } from './connection.ts'
import { hasSeveralHeads } from './paced-reading.ts'
import { isRtsp } from './protocol.ts'
import { allowedUpgrade } from './upgrade.ts'
import { Http1Message } from './message.ts'
import { otherProtocol } from '../connection/rejected-request.ts'

/**
 * The HTTP/1.1 side of a port: an `http.Server` that never listens and is handed sockets instead.
 */
export class Http1 implements RequestRules {
  readonly #server: Server<typeof Http1Message>
  pathRules: PathRules = defaultPathRules
  preservesCase = false
  maxHeaders = 0
  upgrades: ReadonlySet<string> = new Set()

  constructor() {
    const server = createServer({
      IncomingMessage: Http1Message,
      optimizeEmptyRequests: true,
      // Node's own response to a missing Host has no body.
      requireHostHeader: false,
      keepAliveTimeoutBuffer: 0,
      connectionsCheckingInterval: CHECK_TIME_OUTS_EVERY_MS,
      // A protocol that is not allowed is ignored: the request is served as if it had no Upgrade field.
      shouldUpgradeCallback: (req) => allowedUpgrade(req.headers.upgrade, this.upgrades) !== undefined,
    })
    const serve = (req: IncomingMessage, res: ServerResponse) => {
      const driver = driverOf(req.socket)
      if (isRtsp(req, driver.isFirst)) driver.refuse(otherProtocol)
      else driver.take(res)
    }
    server.on('request', serve).on('checkContinue', serve).on('checkExpectation', serve)
    const change = (req: IncomingMessage, stream: Duplex, head: Buffer) => driverOf(stream).change(req, head)
    server.on('upgrade', change).on('connect', change)
    server.on('clientError', (error, stream) => driverOf(stream).break(error))
    // Node would cut a request whose client half-closes; here `Http1Connection` decides how long it may continue.
    Object.assign(server, { httpAllowHalfOpen: true })
    // Node enforces header and request time-outs only after `listening`, so the event is emitted here.
    server.emit('listening')
    this.#server = server
  }

  configure({ http }: FrontendPolicies): void {
    const server = this.#server
    server.headersTimeout = http.headersTimeoutMs
    server.requestTimeout = http.requestBodyTimeoutMs && http.headersTimeoutMs + http.requestBodyTimeoutMs
    server.keepAliveTimeout = http.idleTimeoutMs
    // Node drops fields beyond its count; here too many are an error.
    server.maxHeadersCount = 0
    Object.assign(server, { maxHeaderSize: http.maxHeaderBytes })
    this.pathRules = http.path
    this.preservesCase = http.headerCase === 'preserve'
    this.maxHeaders = http.maxHeaders
    this.upgrades = new Set(http.upgrades)
  }

  /** Serves the requests of a stream. */
  accept(stream: Duplex, connection: ClientConnection): void {
    const driver = new Http1Connection(connection, stream as Socket)
    connection.attach(driver)
    ;(stream as Carrier)[driverKey] = driver
    const first = stream.read() as Buffer | null
    const isPaced = first !== null && hasSeveralHeads(first)
    if (first && !isPaced) stream.unshift(first)
    this.#server.emit('connection', stream)
    if (isPaced) driver.pace(first)
  }

  /** Closes the connections on which no request has begun to arrive. */
  closeIdle(): void {
    this.#server.closeIdleConnections()
  }

  /** Stops checking time-outs. */
  stop(): void {
    this.#server.close()
  }
}

/** How often Node checks for slow requests: the granularity of header and body time-outs. */
const CHECK_TIME_OUTS_EVERY_MS = 500

/** The driver of a stream, stored on the stream: one property read per request. */
const driverKey = Symbol('conversation')

interface Carrier {
  [driverKey]?: Http1Connection
}

const driverOf = (stream: Duplex): Http1Connection => (stream as Carrier)[driverKey] as Http1Connection
