import type { LRUCache } from 'lru-cache'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'
import type { Service } from '../../../model/resources/service.ts'
import type { Closable } from '../../draining.ts'
import type { Choice } from '../choice.ts'

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

  /**
   * The endpoint of a client if it is among the candidates.
   *
   * @param pick Gives it another one otherwise, which is remembered.
   */
  choose<C extends Pick<Choice, 'seed'>>(
    client: string,
    candidates: readonly C[],
    pick: () => C | undefined,
  ): C | undefined {
    const seed = this.#seeds.get(client)?.seed
    const known = seed === undefined ? undefined : candidates.find((one) => one.seed === seed)
    if (known) return known
    const picked = pick()
    if (picked) this.set(client, picked.seed)
    return picked
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
 * The endpoints of the clients of a port of a service, if it keeps clients at an endpoint.
 *
 * @param port As in `ports` of the service.
 * @param keep Finds those that earlier configurations have kept.
 */
export const clientEndpoints = (
  { namespace, hostname, sessionAffinity }: Service,
  port: string,
  keep: (key: string, make: () => ClientEndpoints) => ClientEndpoints,
): ClientEndpoints | undefined => {
  if (!sessionAffinity) return undefined
  const { timeoutMs } = sessionAffinity.clientIP
  return keep(`clients ${namespace}/${hostname}:${port} ${timeoutMs}`, () => new ClientEndpoints(timeoutMs))
}
