import { randomBytes } from 'node:crypto'
import { type ClientRequest, type IncomingMessage, request as sendRequest } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { Fault } from '../../model/exchange/fault.ts'
import { readResponseHead } from '../../protocols/http/response-head.ts'
import { responseHeads } from './response/response-heads.ts'
import { responseTrailers } from './response/response-trailers.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import type { Endpoint } from '../load-balancing/endpoint.ts'
import { connectFault, malformedResponse, upstreamFault } from '../faults.ts'
import { StreamCall } from './stream-call.ts'

/**
 * Sends an upgrade request to an upstream, over a connection of its own. If the upstream switches, its side of the
 * connection becomes the tunnel; any other response is passed on.
 *
 * @param protocol The protocol to switch to, in lower case. Switching to any other is a fault, `upgrade_refused`.
 */
export const callUpgrade = (
  endpoint: Endpoint,
  request: UpstreamRequest,
  protocol: string,
  events: UpstreamEvents,
): UpstreamCall => {
  const call = new UpgradeCall(endpoint, request, protocol, events)
  call.send()
  return call
}

/** Opens a plain connection to an upstream, for CONNECT: from its first byte on it is the tunnel. */
export const callConnect = (endpoint: Endpoint, events: UpstreamEvents): UpstreamCall => {
  let tunnel: Socket | undefined
  const cancelDial = endpoint.connect({ ...endpoint.options, halfOpen: true }, [], (error, socket) => {
    if (!socket) {
      events.fail(connectFault(error))
      return
    }
    tunnel = socket
    socket.on('close', () => events.end())
    events.tunnel(200, [], socket)
  })
  return {
    abort: () => {
      cancelDial()
      tunnel?.destroy()
    },
  }
}

class UpgradeCall extends StreamCall {
  readonly #endpoint: Endpoint
  readonly #protocol: string
  #cancelDial: (() => void) | undefined = undefined
  #req: ClientRequest | undefined = undefined
  #tunnel: Duplex | undefined = undefined
  #connected = false

  constructor(endpoint: Endpoint, request: UpstreamRequest, protocol: string, events: UpstreamEvents) {
    super(request, events)
    this.#endpoint = endpoint
    this.#protocol = protocol
  }

  override send(): void {
    const { target, headers, body } = this.request
    const req = sendRequest({
      // An upgrade over HTTP/2 arrives as CONNECT; over HTTP/1.1 it is a GET.
      method: this.request.method === 'CONNECT' ? 'GET' : this.request.method,
      path: target,
      headers: handshake(headers, this.#protocol),
      createConnection: (_, connected) => {
        const endpoint = this.#endpoint
        this.#cancelDial = endpoint.connect(endpoint.options, ['http/1.1'], (error, socket) => {
          this.#connected = socket !== null
          connected(error, socket as Socket)
        })
        return undefined
      },
    })
    this.#req = req
    req.on('socket', (socket) => responseHeads(socket).await(this))
    req.on('error', (error) => this.fail(this.#connected ? upstreamFault(error) : connectFault(error)))
    req.on('upgrade', (res, socket, first) => this.#switched(res, socket, first))
    req.on('response', (res) => this.#declined(res))
    if (body.lengthBytes === 0) req.end()
    else req.on('socket', () => this.sendBody(req))
  }

  override bodyEnded(): void {
    this.#req?.end()
  }

  protected override releaseConnection(): void {
    this.#cancelDial?.()
    this.#req?.destroy()
    this.#tunnel?.destroy()
  }

  #switched(res: IncomingMessage, socket: Duplex, first: Buffer): void {
    if (this.over) {
      socket.destroy()
      return
    }
    const head = readResponseHead(res.statusCode ?? 0, res.rawHeaders)
    if ('refused' in head || head.upgrade !== this.#protocol) {
      socket.destroy()
      this.fail('refused' in head ? malformedResponse(head.message) : upgradeRefused(head.upgrade))
      return
    }
    if (first.length) socket.unshift(first)
    this.#tunnel = socket
    socket.on('close', () => {
      if (this.over) return
      this.over = true
      this.events.end()
    })
    this.events.tunnel(101, [...head.headers, 'upgrade', this.#protocol], socket)
  }

  #declined(res: IncomingMessage): void {
    res.on('error', (error) => this.fail(upstreamFault(error)))
    res.on('end', () => this.received(responseTrailers(res.rawTrailers)))
    this.receive(res.statusCode ?? 0, res.rawHeaders, res, false, res.rawHeaders)
  }
}

/** The fields of an upgrade request. A client that came over HTTP/2 has no WebSocket key of its own. */
const handshake = (headers: readonly string[], protocol: string): string[] => {
  const fields = [...headers, 'connection', 'Upgrade', 'upgrade', protocol]
  if (protocol === 'websocket' && !headers.some((name) => name.toLowerCase() === 'sec-websocket-key'))
    fields.push('sec-websocket-key', randomBytes(16).toString('base64'))
  return fields
}

const upgradeRefused = (tried: string | undefined): Fault =>
  new Fault('upgrade_refused', `request upgrade failed, backend tried ${tried ?? 'nothing'}`, {
    status: 502,
    reason: 'UpstreamFailure',
  })
