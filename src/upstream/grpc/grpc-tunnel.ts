import type { Socket } from 'node:net'
import { Fault } from '../../model/exchange/fault.ts'
import type { SimpleBackend } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { ProxyAddress } from '../backend-tunnel/schema.ts'
import { addressOf } from '../connect/address.ts'
import { exchangeConnect } from '../connect/connect-request.ts'
import { addressName, type DialAddress, type DialOptions } from '../connect/dial.ts'
import { TlsClient } from '../connect/tls.ts'
import { addressList, grpcDestinations, grpcHostAddress } from './grpc-target.ts'

/** Why a service cannot be reached through its proxy. */
export interface GrpcUnreachable {
  readonly why: string
}

/** The fault of calls of such a service. */
export const grpcUnreachableFault = ({ why }: GrpcUnreachable): Fault =>
  new Fault('upstream_connect', 'upstream call failed: the service cannot be reached', {
    status: 503,
    reason: 'UpstreamFailure',
    cause: why,
  })

/** How gRPC's client reaches a service through a proxy. */
export interface GrpcThrough {
  /** The addresses of the proxy, in the syntax of gRPC's client. */
  readonly target: string
  /** The authority of requests: without one, it would be the address of the proxy. */
  readonly authority: string
  readonly tunnel: GrpcTunnel
}

/** The way to a service through a proxy, or why there is none: no connection goes around the proxy then. */
export const grpcThrough = (
  proxy: ProxyAddress,
  service: SimpleBackend,
  resources: ResourceLookup,
  dial: Pick<DialOptions, 'connectTimeoutMs'>,
): GrpcThrough | GrpcUnreachable => {
  const [first, ...others] = proxy.addresses
  if (!first) return { why: proxy.invalid ?? 'the proxy has no address' }
  const { destinations, authority } = grpcDestinations(service, resources)
  if (destinations.some((address) => 'unix' in address)) return { why: 'no proxy reaches unix sockets' }
  return {
    target: others.length === 0 ? grpcHostAddress(first).target : addressList(proxy.addresses.map(addressOf)),
    authority,
    tunnel: new GrpcTunnel(proxy, destinations, dial),
  }
}

/**
 * The way through an HTTP proxy to a gRPC service. gRPC's client opens connections itself: it is given the addresses of
 * the proxy, and this makes tunnels of them.
 */
export class GrpcTunnel {
  readonly #tls: TlsClient | undefined
  readonly #authorization: string | undefined
  readonly #destinations: readonly DialAddress[]
  readonly #timeoutMs: number
  #opened = 0

  /** @param destinations Those of the service: one after the other, a connection each. */
  constructor(
    { tls, tcp, host, authorization }: ProxyAddress,
    destinations: readonly DialAddress[],
    { connectTimeoutMs }: Pick<DialOptions, 'connectTimeoutMs'>,
  ) {
    this.#tls = tls && new TlsClient(tls, host)
    this.#authorization = authorization
    this.#destinations = destinations
    this.#timeoutMs = tcp?.connectTimeoutMs ?? connectTimeoutMs
  }

  /** Makes a tunnel of a connection to the proxy. Rejects if the proxy refuses; the connection is closed then. */
  async through(connection: Socket): Promise<Socket> {
    const until = performance.now() + this.#timeoutMs
    const destination = this.#destinations[this.#opened++ % this.#destinations.length]
    if (!destination) throw new Error('the service has no address')
    const toProxy = this.#tls
      ? await securedBy(this.#tls, connection, ['http/1.1'], this.#timeoutMs)
      : connection
    const leftMs = Math.max(1, until - performance.now())
    return new Promise((resolve, reject) => {
      exchangeConnect(toProxy, addressName(destination), this.#authorization, leftMs, (error, tunnel) => {
        if (tunnel) resolve(tunnel)
        else reject(error ?? new Error('no tunnel'))
      })
    })
  }
}

/** Does the TLS handshake on a connection, or closes it. */
export const securedBy = (
  tls: TlsClient,
  connection: Socket,
  alpn: readonly string[],
  timeoutMs: number,
): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      connection.destroy()
      reject(new Error(`no TLS within ${timeoutMs} ms`))
    }, timeoutMs)
    tls.secure(connection, alpn, (error, secured) => {
      clearTimeout(timer)
      if (secured) resolve(secured)
      else reject(error ?? new Error('no TLS'))
    })
  })
