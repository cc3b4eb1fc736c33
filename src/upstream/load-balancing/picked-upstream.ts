import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { splitAuthority } from '../../protocols/http/authority.ts'
import { hostPortText } from '../../protocols/ip/host-port.ts'
import { formatIp, parseIp } from '../../protocols/ip/ip-address.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import type { DynamicPools } from '../dynamic/dynamic-pools.ts'
import { failedCall } from '../http/failed-call.ts'
import type { HttpUpstream } from '../upstream.ts'
import type { Balancer } from './balancer.ts'
import type { EndpointCondition } from './choice.ts'
import type { Endpoint } from './endpoint.ts'
import { EndpointUpstream, type EndpointUpstreamOptions } from './endpoint-upstream.ts'
import type { Endpoints } from './endpoints.ts'

/**
 * The upstream for known endpoints, as its policies have it.
 *
 * @param pools Gives connections to any address.
 */
export const endpointsUpstream = (
  options: EndpointUpstreamOptions,
  { inferenceRouting }: BackendPolicies,
  pools: () => DynamicPools,
): HttpUpstream => {
  if (!inferenceRouting) return new EndpointUpstream(options)
  return new PickedUpstream(options, inferenceRouting.destinationMode === 'passthrough' ? pools() : undefined)
}

/**
 * Calls the first of the picked endpoints of an exchange that can be used, and the next one if there is no connection.
 * An exchange without any is balanced as by any other upstream.
 */
export class PickedUpstream implements HttpUpstream {
  readonly labels: BackendLabels
  readonly #options: EndpointUpstreamOptions
  readonly #anywhere: DynamicPools | undefined
  readonly #any: EndpointUpstream
  #known: KnownEndpoints | undefined = undefined

  /** @param anywhere Connections to any address that is picked; undefined allows the endpoints of the upstream only. */
  constructor(options: EndpointUpstreamOptions, anywhere: DynamicPools | undefined) {
    this.labels = options.labels
    this.#options = options
    this.#anywhere = anywhere
    this.#any = new EndpointUpstream(options)
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { picked, startedAt } = x.upstream
    if (!picked) return this.#any.call(x, events)
    const choose = (all: readonly Endpoint[]) => this.#chosen(all, picked)
    const endpoints = new ChosenEndpoints(this.#options.endpoints, choose)
    const chosen = endpoints.current(startedAt)
    if (chosen?.length === 0) return failedCall(events, unknownEndpoint(picked))
    // A selection among several records them itself.
    if (chosen?.length === 1) x.upstream.tried = [...(x.upstream.tried ?? []), ...chosen]
    return new EndpointUpstream({ ...this.#options, endpoints, balancer: inOrder }).call(x, events)
  }

  authority(): string | undefined {
    return this.#options.authority
  }

  get condition(): EndpointCondition | undefined {
    return this.#any.condition
  }

  /** The endpoints worth picking, where those are fewer than all: neither excluded, nor tried before. */
  subset(x: Exchange): readonly string[] | undefined {
    const now = performance.now()
    const known = this.#options.endpoints.current(now)
    if (!known) return undefined
    const { tried } = x.upstream
    const usable = known.filter((one) => !one.health.isEvicted(now) && !tried?.includes(one))
    return usable.length === known.length || usable.length === 0 ? undefined : usable.map(({ name }) => name)
  }

  #chosen(all: readonly Endpoint[], picked: readonly string[]): readonly Endpoint[] {
    if (this.#known?.all !== all) this.#known = new KnownEndpoints(all)
    const known = this.#known
    return picked.flatMap((name) => known.find(name) ?? this.#elsewhere(name) ?? [])
  }

  #elsewhere(name: string): Endpoint | undefined {
    const { host: written, port } = splitAuthority(name)
    const ip = written.startsWith('[') ? written.slice(1, -1) : written
    const { authority } = this.#options
    const host = authority === undefined ? ip : splitAuthority(authority).host
    return this.#anywhere?.endpoint({ ip, port: Number(port) }, host)
  }
}

/** The endpoints of an upstream by their canonical addresses. */
class KnownEndpoints {
  readonly all: readonly Endpoint[]
  readonly #byName = new Map<string, Endpoint>()

  constructor(all: readonly Endpoint[]) {
    this.all = all
    for (const endpoint of all) {
      const { address } = endpoint
      const ip = 'ip' in address ? parseIp(address.ip) : undefined
      if (ip && 'ip' in address) this.#byName.set(hostPortText(formatIp(ip), address.port), endpoint)
    }
  }

  find(name: string): Endpoint | undefined {
    return this.#byName.get(name)
  }
}

/** The endpoints that were picked, once those of the upstream are known. */
class ChosenEndpoints implements Endpoints {
  readonly #all: Endpoints
  readonly #choose: (all: readonly Endpoint[]) => readonly Endpoint[]

  constructor(all: Endpoints, choose: (all: readonly Endpoint[]) => readonly Endpoint[]) {
    this.#all = all
    this.#choose = choose
  }

  current(now: number): readonly Endpoint[] | undefined {
    const all = this.#all.current(now)
    return all && this.#choose(all)
  }

  latest(): readonly Endpoint[] {
    return this.#choose(this.#all.latest())
  }

  resolve(now: number, onResolved: (endpoints: readonly Endpoint[] | Fault) => void): void {
    this.#all.resolve(now, (found) => onResolved(found instanceof Fault ? found : this.#choose(found)))
  }
}

/** The picker has weighed them: the first one that can be used. */
const inOrder: Balancer = { pick: ([first]) => first }

const unknownEndpoint = (picked: readonly string[]): Fault =>
  new Fault('unknown_endpoint', 'the endpoint picker chose an endpoint that the backend does not have', {
    status: 503,
    reason: 'NoHealthyBackend',
    cause: new Error(`it chose ${picked.join(', ')}`),
  })
