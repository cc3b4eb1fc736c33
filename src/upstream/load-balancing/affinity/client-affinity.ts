import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Balancer } from '../balancer.ts'
import type { Choice } from '../choice.ts'
import type { ClientEndpoints } from './client-endpoints.ts'

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
    return this.#endpoints.choose(client, candidates, () => this.#byClient.pick(candidates, now, x))
  }
}

/** The address of the client as a key of consistent hashing. */
export const clientAddress = (x: Exchange) => ({ value: x.request.connection.sourceAddress })
