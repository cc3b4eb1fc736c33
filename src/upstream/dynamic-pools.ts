import { placeName } from './dial.ts'
import { Endpoint, type EndpointOptions } from './endpoint.ts'
import { type Closable, Leaving } from './leaving.ts'
import { type Lookup, Name } from './name.ts'
import { Recent } from './recent.ts'

/** Connections are kept to this many places that callers named; the one not used for longest gives way. */
const MAX_ENDPOINTS = 256
const MAX_NAMES = 1_024

/** The endpoints and names that callers have asked for lately. */
export class DynamicPools implements Closable {
  readonly #options: (host: string) => EndpointOptions
  readonly #lookup: Lookup
  readonly #leaving = new Leaving()
  readonly #endpoints: Recent<Endpoint>
  #closed = false
  readonly #names = new Recent<Name>(MAX_NAMES)

  /**
   * @param options Those for a host; TLS wants to know its name.
   * @param evicted Told of every endpoint that gave way.
   */
  constructor(
    options: (host: string) => EndpointOptions,
    lookup: Lookup,
    evicted: () => void = () => undefined,
    maxEndpoints: number = MAX_ENDPOINTS,
  ) {
    this.#options = options
    this.#lookup = lookup
    this.#endpoints = new Recent(maxEndpoints, (endpoint) => {
      this.#leaving.letGo(endpoint)
      if (!this.#closed) evicted()
    })
  }

  /** Endpoints that are kept. */
  get size(): number {
    return this.#endpoints.size
  }

  /** @param host The name the place goes by: an address may serve many, each with a certificate of its own. */
  endpoint(place: { readonly ip: string; readonly port: number }, host: string): Endpoint {
    return this.#endpoints.get(`${placeName(place)} ${host}`, () => new Endpoint(place, this.#options(host)))
  }

  name(host: string): Name {
    return this.#names.get(host, () => new Name(host, this.#lookup))
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#endpoints.clear()
    await this.#leaving.ended()
  }

  async destroy(): Promise<void> {
    void this.close()
    await this.#leaving.destroy()
  }
}
