import type { BackendPolicies, SimpleBackend } from '../model/policies.ts'
import type { Backend, BackendTarget, Resources, StaticTarget } from '../model/resources.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import { type Place, placeName } from './dial.ts'
import { DynamicPools } from './dynamic-pools.ts'
import { Endpoint, type EndpointOptions } from './endpoint.ts'
import { type ConnectionPolicies, endpointOptions, identityOf } from './endpoint-options.ts'
import { type Endpoints, FixedEndpoints, NamedEndpoints } from './endpoints.ts'
import { HttpProxy } from './http-proxy.ts'
import type { Closable } from './leaving.ts'
import { proxyPlace } from './proxy-place.ts'
import { serviceNamed, servicePlaces } from './service-places.ts'
import { authorityOf, isAddress, placeOf } from './target.ts'
import type { Workplace } from './workplace.ts'

/** Where something is, and what it is called in requests. */
export interface Destination {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
  readonly authority: string | undefined
}

/** Takes a share in what has a life of its own, making it if nobody has. */
export type Take = <T extends Closable>(key: string, make: () => T) => T

/** What the references of one configuration lead to, and the connections there. */
export class Destinations {
  readonly #at: Workplace
  readonly #resources: Resources
  readonly #take: Take

  constructor(at: Workplace, resources: Resources, take: Take) {
    this.#at = at
    this.#resources = resources
    this.#take = take
  }

  /** A backend by its name. */
  backend(key: string): Backend | undefined {
    return this.#resources.backends.find((one) => one.key === key)
  }

  /** The policies that a named backend brings along. */
  policiesOf(target: SimpleBackend): BackendPolicies | undefined {
    return target.kind === 'backend' ? this.backend(target.key)?.policies : undefined
  }

  /** @returns Undefined if there is no such destination, or none that is known before a request is. */
  find(target: BackendTarget | SimpleBackend, policies: ConnectionPolicies): Destination | undefined {
    if (target.kind === 'host') {
      const authority = authorityOf(target.target, policies.backendTLS !== undefined)
      return {
        labels: { name: authority ?? 'unix', type: 'static', protocol: 'http' },
        endpoints: this.static(target.target, policies),
        authority,
      }
    }
    if (target.kind === 'service') return this.#service(target.name, target.port, policies)
    const backend = target.kind === 'backend' ? this.backend(target.key) : undefined
    if (backend?.spec.type !== 'static') return undefined
    return {
      labels: { name: backend.key, type: 'static', protocol: 'http' },
      endpoints: this.static(backend.spec.target, policies),
      authority: authorityOf(backend.spec.target, policies.backendTLS !== undefined),
    }
  }

  /** What is at an address, at the addresses of a name, or at a unix socket. */
  static(target: StaticTarget, policies: ConnectionPolicies): Endpoints {
    const host = 'unix' in target ? '' : target.host
    // Behind a proxy, names are for the proxy to look up: whoever needs one often knows no names of the outside.
    if ('unix' in target || isAddress(host) || policies.backendTunnel)
      return new FixedEndpoints([this.#endpoint(placeOf(target), host, policies)])
    return this.#take(
      `name ${host}:${target.port} ${this.#identity(policies, host)}`,
      () => new NamedEndpoints(host, target.port, this.#options(policies, host), this.#at.lookup),
    )
  }

  /**
   * Connections to whatever hosts will be named.
   *
   * @param kind Pools of one kind are shared by all who dial in the same way.
   */
  pools(kind: string, policies: BackendPolicies): DynamicPools {
    const { lookup, evicted } = this.#at
    return this.#take(
      `${kind} ${this.#identity(policies, '')}`,
      () => new DynamicPools((host) => this.#options(policies, host), lookup, evicted),
    )
  }

  #service(name: string, port: number, policies: ConnectionPolicies): Destination | undefined {
    const service = serviceNamed(name, this.#resources)
    if (!service) return undefined
    const host = service.hostname
    const places = servicePlaces(service, port, this.#resources.workloads)
    return {
      labels: { name, type: 'service', protocol: 'http' },
      endpoints: new FixedEndpoints(places.map((place) => this.#endpoint(place, host, policies))),
      authority: authorityOf({ host, port }, policies.backendTLS !== undefined),
    }
  }

  #endpoint(place: Place, host: string, policies: ConnectionPolicies): Endpoint {
    return this.#take(
      `endpoint ${placeName(place)} ${this.#identity(policies, host)}`,
      () => new Endpoint(place, this.#options(policies, host)),
    )
  }

  #options(policies: ConnectionPolicies, host: string): EndpointOptions {
    const { settings, lookup, connected } = this.#at
    const place = policies.backendTunnel && proxyPlace(policies.backendTunnel, this.#resources)
    const proxy = place && new HttpProxy(place, { ...settings, ...policies.tcp }, lookup)
    return endpointOptions(policies, settings, host, connected, proxy)
  }

  #identity(policies: ConnectionPolicies, host: string): string {
    const { backendTunnel } = policies
    return identityOf(policies, host, backendTunnel && proxyPlace(backendTunnel, this.#resources))
  }
}
