import type { Exchange } from '../model/exchange/exchange.ts'
import type { BackendPolicies, TlsUpstream } from '../model/resources/policies.ts'
import { publicTls } from '../model/resources/public-tls.ts'
import type { StaticTarget } from '../model/resources/resources.ts'
import type { BackendLabels } from '../model/resources/snapshot.ts'
import { BetterOfTwo } from './load-balancing/balancer.ts'
import { BackendCounts } from './load-balancing/call-counts.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import { Endpoint, type EndpointOptions } from './load-balancing/endpoint.ts'
import { endpointOptions } from './load-balancing/endpoint-options.ts'
import { EndpointUpstream } from './load-balancing/endpoint-upstream.ts'
import { FixedEndpoints, NamedEndpoints } from './load-balancing/endpoints.ts'
import { systemLookup } from './connect/dns-cache.ts'
import { defaultUpstreamSettings } from './registry.ts'
import type { Closable } from './draining.ts'
import { authorityOf, isAddress, addressOf } from './connect/address.ts'
import type { HttpUpstream } from './upstream.ts'

/** Options of an upstream besides its address. */
export interface UpstreamOfOptions extends Pick<BackendPolicies, 'http' | 'tcp'> {
  /** Its name in logs and traces; the origin by default. */
  readonly name?: string
  /** How the certificate of an `https:` origin is checked; by default it must be for that host, and publicly trusted. */
  readonly tls?: Partial<TlsUpstream>
}

/**
 * The upstream at an origin, for pipelines made in code: it belongs to no configuration, so its creator closes it.
 * Calls are balanced over the addresses of its name.
 *
 * @param origin `http://host:port`, `https://host` or `unix:/path`, and nothing after it.
 * @throws TypeError for anything else.
 * @example
 * await using upstream = upstreamOf('http://localhost:9000')
 * const pipeline = rescue(backend(upstream), faultReply())
 */
export const upstreamOf = (origin: string | URL, options: UpstreamOfOptions = {}): OriginUpstream =>
  new OriginUpstream(String(origin), options)

/** An upstream with connections of its own. */
export class OriginUpstream implements HttpUpstream, AsyncDisposable {
  readonly labels: BackendLabels
  readonly #upstream: EndpointUpstream
  readonly #connections: Closable

  constructor(origin: string, { name, tls, http, tcp }: UpstreamOfOptions) {
    const { target, isEncrypted } = parse(origin)
    const backendTLS = isEncrypted ? { ...publicTls, ...tls } : undefined
    const policies = { ...(http && { http }), ...(tcp && { tcp }), ...(backendTLS && { backendTLS }) }
    const host = 'unix' in target ? '' : target.host
    const { endpoints, connections } = reach(target, endpointOptions(policies, defaultUpstreamSettings, host))
    this.labels = { name: name ?? origin, type: 'static', protocol: 'http' }
    this.#connections = connections
    this.#upstream = new EndpointUpstream({
      labels: this.labels,
      endpoints,
      counts: new BackendCounts(),
      authority: authorityOf(target, isEncrypted),
      eviction: undefined,
      unhealthy: undefined,
      balancer: new BetterOfTwo(Math.random),
    })
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    return this.#upstream.call(x, events)
  }

  /** Finishes the calls under way, and closes the connections. No call may follow. */
  async close(): Promise<void> {
    await this.#connections.close()
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }
}

const reach = (target: StaticTarget, options: EndpointOptions) => {
  if ('unix' in target || isAddress(target.host)) {
    const endpoint = new Endpoint(addressOf(target), options)
    return { endpoints: new FixedEndpoints([endpoint]), connections: endpoint }
  }
  const endpoints = new NamedEndpoints(target.host, target.port, options, systemLookup('Auto', true))
  return { endpoints, connections: endpoints }
}

const parse = (origin: string): { readonly target: StaticTarget; readonly isEncrypted: boolean } => {
  if (origin.startsWith('unix:/'))
    return { target: { unix: origin.slice('unix:'.length) }, isEncrypted: false }
  const url = URL.canParse(origin) ? new URL(origin) : undefined
  const isEncrypted = url?.protocol === 'https:'
  if (!url || (url.protocol !== 'http:' && !isEncrypted) || url.href !== `${url.origin}/`)
    throw new TypeError(`"${origin}" is no origin: write http://host:port, https://host:port or unix:/path`)
  const usualPort = isEncrypted ? 443 : 80
  return {
    target: { host: url.hostname, port: url.port === '' ? usualPort : Number(url.port) },
    isEncrypted,
  }
}
