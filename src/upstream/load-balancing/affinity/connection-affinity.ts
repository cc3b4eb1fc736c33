import { addressName } from '../../connect/dial.ts'
import { ownerOf } from '../balancer.ts'
import type { ClientEndpoints } from './client-endpoints.ts'
import { hashText } from '../rendezvous-hash.ts'
import type { RankedEndpoint } from '../service-endpoints.ts'

/**
 * Keeps the connections and the sessions of datagrams of each client at one endpoint of a service, as `ClientAffinity`
 * keeps its requests. Endpoints have no health here: a client leaves one that cannot be reached.
 */
export class ConnectionAffinity {
  readonly #clients: ClientEndpoints
  readonly #preferred: readonly SeededEndpoint[]

  /** @param endpoints The preferred ones first; the others belong to no client. */
  constructor(clients: ClientEndpoints, endpoints: readonly RankedEndpoint[]) {
    this.#clients = clients
    this.#preferred = endpoints.flatMap((endpoint) =>
      endpoint.priority === endpoints[0]?.priority
        ? [{ endpoint, seed: seedOf(addressName(endpoint.address)), weight: endpoint.weight }]
        : [],
    )
  }

  /** The endpoint of a client. Undefined if there are none, or if it has no address. */
  endpointOf(client: string): RankedEndpoint | undefined {
    if (!client) return undefined
    return this.#clients.choose(client, this.#preferred, () => ownerOf(this.#preferred, hashText(client)))
      ?.endpoint
  }

  /** @param address The one that accepted a connection of the client. */
  reached(client: string, address: string): void {
    this.#clients.set(client, seedOf(address))
  }

  /** Gives a client another endpoint in place of one that cannot be reached, if there is one. */
  unreachable(client: string, { address }: RankedEndpoint): void {
    const seed = seedOf(addressName(address))
    const others = this.#preferred.filter((one) => one.seed !== seed)
    const other = ownerOf(others, hashText(client))
    if (other) this.#clients.set(client, other.seed)
  }
}

interface SeededEndpoint {
  readonly endpoint: RankedEndpoint
  readonly seed: number
  readonly weight: number
}

/** As endpoints of requests have it: a client has one endpoint for all of its protocols. */
const seedOf = (address: string): number => hashText(address)
