import type { LRUCache } from 'lru-cache'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'
import type { Closable } from '../draining.ts'
import type { Balancer } from './balancer.ts'
import type { Choice } from './choice.ts'

/** Clients of one service that are remembered; of more, those whose last request is longest ago are forgotten. */
const MAX_CLIENTS = 100_000

/** The endpoints of the clients of one service. Outlives configurations, as endpoints do. */
export class ClientEndpoints implements Closable {
  /** The hash of the name of an endpoint, by the address of a client. */
  readonly #seeds: LRUCache<string, { readonly seed: number }>

  constructor(timeoutMs: number) {
    this.#seeds = boundedCache<string, { readonly seed: number }>('client_endpoints', {
      max: MAX_CLIENTS,
      ttl: timeoutMs,
      updateAgeOnGet: true,
    })
  }

  get(client: string): number | undefined {
    return this.#seeds.get(client)?.seed
  }

  set(client: string, seed: number): void {
    this.#seeds.set(client, { seed })
  }

  close(): Promise<void> {
    this.#seeds.clear()
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return this.close()
  }
}

/**
 * Sends the requests of a client, by its address, to the endpoint of its last request while that can be used. A client
 * without one gets an endpoint by its address, so that most replicas of the gateway choose the same.
 */
export class ClientAffinity implements Balancer {
  readonly #endpoints: ClientEndpoints
  readonly #byClient: Balancer

  /** @param byClient Picks for clients without an endpoint. */
  constructor(endpoints: ClientEndpoints, byClient: Balancer) {
    this.#endpoints = endpoints
    this.#byClient = byClient
  }

  pick<C extends Choice>(candidates: readonly C[], now: number, x: Exchange | undefined): C | undefined {
    // The addresses of Unix sockets and of the gateway's own requests are empty: they are not one client.
    const client = x?.request.connection.sourceAddress
    if (!client) return this.#byClient.pick(candidates, now, x)
    const seed = this.#endpoints.get(client)
    const known = seed === undefined ? undefined : candidates.find((one) => one.seed === seed)
    if (known) return known
    const picked = this.#byClient.pick(candidates, now, x)
    if (picked) this.#endpoints.set(client, picked.seed)
    return picked
  }
}

/** The address of the client as a key of consistent hashing. */
export const clientAddress = (x: Exchange) => ({ value: x.request.connection.sourceAddress })
