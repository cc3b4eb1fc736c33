import type { LRUCache } from 'lru-cache'
import { addressName } from '../connect/dial.ts'
import { Endpoint, type EndpointOptions } from '../load-balancing/endpoint.ts'
import { type Closable, Draining } from '../draining.ts'
import { type Lookup, DnsEntry } from '../connect/dns-cache.ts'
import { getOrMake } from '../get-or-make.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'

/** Endpoints and names that are kept; the least recently used one is evicted. */
const MAX_ENDPOINTS = 256
const MAX_NAMES = 1_024

/** The endpoints and names that callers have requested lately. */
export class DynamicPools implements Closable {
  readonly #options: (host: string) => EndpointOptions
  readonly #lookup: Lookup
  readonly #draining = new Draining()
  readonly #endpoints: LRUCache<string, Endpoint>
  #closed = false
  readonly #names = boundedCache<string, DnsEntry>('upstream_names', { max: MAX_NAMES })

  /**
   * @param options Those for a host, which TLS needs.
   * @param evicted Called for every evicted endpoint.
   */
  constructor(
    options: (host: string) => EndpointOptions,
    lookup: Lookup,
    evicted: () => void = () => undefined,
    maxEndpoints: number = MAX_ENDPOINTS,
  ) {
    this.#options = options
    this.#lookup = lookup
    this.#endpoints = boundedCache<string, Endpoint>('upstreams', {
      max: maxEndpoints,
      dispose: (endpoint) => {
        this.#draining.add(endpoint)
        if (!this.#closed) evicted()
      },
    })
  }

  /** Endpoints that are kept. */
  get size(): number {
    return this.#endpoints.size
  }

  /** @param host The requested name: one address may serve many, each with its own certificate. */
  endpoint(address: { readonly ip: string; readonly port: number }, host: string): Endpoint {
    return getOrMake(
      this.#endpoints,
      `${addressName(address)} ${host}`,
      () => new Endpoint(address, this.#options(host)),
    )
  }

  name(host: string): DnsEntry {
    return getOrMake(this.#names, host, () => new DnsEntry(host, this.#lookup))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endpoints.clear()
    await this.#draining.ended()
  }

  async destroy(): Promise<void> {
    void this.close()
    await this.#draining.destroy()
  }
}
