import { publicTls } from '../model/resources/public-tls.ts'
import { BetterOfTwo } from './load-balancing/balancer.ts'
import type { DynamicPools } from './dynamic/dynamic-pools.ts'
import { DynamicUpstream } from './dynamic/dynamic-upstream.ts'
import type { HttpUpstream } from './upstream.ts'

/** Connections to other replicas, by whether they are encrypted. */
export interface ReplicaPools {
  readonly plain: DynamicPools
  readonly encrypted: DynamicPools
  /** 0 ≤ number < 1, for names with several addresses. */
  readonly random: () => number
}

/**
 * Another replica of the gateway.
 *
 * @param address Its origin, which is not checked: it has to come from a replica.
 */
export const replicaUpstream = (
  address: string,
  { plain, encrypted, random }: ReplicaPools,
): HttpUpstream => {
  const { protocol, host } = new URL(address)
  const tls = protocol === 'https:' ? publicTls : undefined
  return new DynamicUpstream({
    labels: { name: address, type: 'dynamic', protocol: 'http' },
    permission: anywhere,
    pools: tls ? encrypted : plain,
    tls,
    target: () => ({ value: host }),
    // The client's authority is kept.
    authority: undefined,
    eviction: undefined,
    unhealthy: undefined,
    balancer: new BetterOfTwo(random),
  })
}

const anywhere = { names: () => true, reaches: () => true }
