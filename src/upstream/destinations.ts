import type { BackendPolicies, SimpleBackend } from '../model/resources/policies.ts'
import type { ResourceLookup } from '../model/resources/resource-index.ts'
import type { Backend, BackendTarget, StaticTarget } from '../model/resources/resources.ts'
import type { BackendLabels } from '../model/resources/snapshot.ts'
import { type DialAddress, addressName } from './connect/dial.ts'
import { type Service, servicePort } from '../model/resources/service.ts'
import { DynamicPools } from './dynamic/dynamic-pools.ts'
import { type Balancer, ByKey } from './load-balancing/balancer.ts'
import { ClientAffinity, clientAddress } from './load-balancing/affinity/client-affinity.ts'
import { clientEndpoints } from './load-balancing/affinity/client-endpoints.ts'
import { CurrentEndpoints, ServiceEndpoints } from './load-balancing/current-endpoints.ts'
import { Endpoint, type EndpointOptions } from './load-balancing/endpoint.ts'
import { type ConnectionPolicies, endpointOptions, identityOf } from './load-balancing/endpoint-options.ts'
import { type Endpoints, FixedEndpoints, NamedEndpoints } from './load-balancing/endpoints.ts'
import { haveEqualRanks, RankedBalancer, rankedBalancer } from './load-balancing/ranked-balancer.ts'
import { HttpProxy } from './connect/http-proxy.ts'
import type { Closable } from './draining.ts'
import { proxyAddress } from './connect/proxy-address.ts'
import { type RankedEndpoint, serviceEndpoints } from './load-balancing/service-endpoints.ts'
import { authorityOf, isAddress, addressOf } from './connect/address.ts'
import type { RegistryContext } from './registry-context.ts'

/** The endpoints of a destination, and its authority in requests. */
export interface Destination {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
  readonly authority: string | undefined
  /** The balancer of its endpoints, made of the configured one; absent if that needs nothing else. */
  readonly balanced?: (balancer: Balancer, isDefault: boolean) => Balancer
}

/** Acquires a shared resource, creating it for the first user. */
export type AcquireResource = <T extends Closable>(key: string, make: () => T) => T

/** The destinations of one configuration's references, and the connections to them. */
export class Destinations {
  readonly #context: RegistryContext
  readonly #resources: ResourceLookup
  readonly #acquire: AcquireResource
  /** The endpoints of services, until they are in force. Parts of configurations are many, and keep nothing here. */
  #services: Map<CurrentEndpoints, readonly Endpoint[]> | undefined = undefined

  constructor(context: RegistryContext, resources: ResourceLookup, acquire: AcquireResource) {
    this.#context = context
    this.#resources = resources
    this.#acquire = acquire
  }

  /** A backend by its name. */
  backend(key: string): Backend | undefined {
    return this.#resources.backend(key)
  }

  /** The policies of a named backend. */
  policiesOf(target: SimpleBackend): BackendPolicies | undefined {
    return target.kind === 'backend' ? this.backend(target.key)?.policies : undefined
  }

  /** Puts the endpoints of the services in force, if they are not yet. */
  enforce(): void {
    for (const [service, endpoints] of this.#services ?? []) service.replace(endpoints)
    this.#services = undefined
  }

  /** @returns Undefined if there is no such destination, or none that is known before a request is. */
  find(target: BackendTarget | SimpleBackend, policies: ConnectionPolicies): Destination | undefined {
    if (target.kind === 'host') {
      const authority = authorityOf(target.target, policies.backendTLS !== undefined)
      return {
        labels: { name: authority ?? 'unix', type: 'static', protocol: 'http' },
        endpoints: this.static(target.target, namedChecks(policies, authority)),
        authority,
      }
    }
    if (target.kind === 'service') return this.#service(target.name, target.port, policies)
    const backend = target.kind === 'backend' ? this.backend(target.key) : undefined
    if (backend?.spec.type !== 'static' && backend?.spec.type !== 'agentCore') return undefined
    const authority = authorityOf(backend.spec.target, policies.backendTLS !== undefined)
    return {
      labels: { name: backend.key, type: 'static', protocol: 'http' },
      endpoints: this.static(backend.spec.target, namedChecks(policies, authority)),
      authority,
    }
  }

  /** The destination of a policy, such as a callout. The policies of a named backend apply where these set nothing. */
  ofPolicy(
    target: SimpleBackend,
    policies: ConnectionPolicies,
    usual: Balancer,
  ): (Destination & { readonly balancer: Balancer }) | undefined {
    const found = this.find(target, { ...this.policiesOf(target), ...policies })
    return found && { ...found, balancer: found.balanced?.(usual, true) ?? usual }
  }

  /** The endpoints at an address, at the addresses of a name, or at a unix socket. */
  static(target: StaticTarget, policies: ConnectionPolicies): Endpoints {
    const host = 'unix' in target ? '' : target.host
    // Behind a proxy, names are left to the proxy: networks that need one often resolve no external names.
    if ('unix' in target || isAddress(host) || policies.backendTunnel)
      return new FixedEndpoints([this.#endpointsOf(host, policies)(addressOf(target))])
    return this.#acquire(
      `name ${host}:${target.port} ${this.#identity(policies, host)}`,
      () => new NamedEndpoints(host, target.port, this.#supervised(policies, host), this.#context.lookup),
    )
  }

  /**
   * Connections to hosts that requests name.
   *
   * @param kind Pools of one kind are shared by all policies with equal connection settings.
   */
  pools(kind: string, policies: BackendPolicies): DynamicPools {
    const { lookup, evicted } = this.#context
    const options = this.#optionsOf(policies)
    return this.#acquire(
      `${kind} ${this.#identity(policies, '')}`,
      () => new DynamicPools(options, lookup, evicted),
    )
  }

  #service(name: string, port: number, policies: ConnectionPolicies): Destination | undefined {
    const service = this.#resources.service(name)
    if (!service) return undefined
    const host = service.hostname
    const authority = authorityOf({ host, port }, policies.backendTLS !== undefined)
    const checked = namedChecks(withAppProtocol(policies, service.appProtocols?.[port]), authority)
    const endpointAt = this.#endpointsOf(host, checked, 'service')
    const ranked = this.#rankedAddresses(service, port, policies).map(
      ({ address, ...rank }) => [endpointAt(address), rank] as const,
    )
    const clients = clientEndpoints(service, servicePort(port, 'tcp'), this.#acquire)
    // Routes are many, and keep no ranks that say nothing.
    const ranks = clients || !haveEqualRanks(ranked) ? ranked : []
    return {
      labels: { name, type: 'service', protocol: 'http' },
      endpoints: this.#serviceEndpoints(
        `${name}:${policies.inferenceRouting ? '*' : port} ${this.#identity(checked, host)}`,
        ranked.map(([endpoint]) => endpoint),
      ),
      authority,
      // A key that a policy configures is more specific than the address of the client.
      balanced: (balancer, isDefault) =>
        clients && !(balancer instanceof ByKey)
          ? new RankedBalancer(ranks, new ClientAffinity(clients, new ByKey(clientAddress, balancer)))
          : rankedBalancer(ranks, balancer, isDefault),
    }
  }

  /** Of all ports if a picker chooses: each port of a workload is an endpoint of its own then. */
  #rankedAddresses(
    service: Service,
    port: number,
    { inferenceRouting }: ConnectionPolicies,
  ): readonly RankedEndpoint[] {
    if (!inferenceRouting) return serviceEndpoints(service, port, this.#resources)
    const all = Object.keys(service.ports).flatMap((one) =>
      serviceEndpoints(service, Number(one), this.#resources),
    )
    return [...new Map(all.map((one) => [addressName(one.address), one])).values()]
  }

  #serviceEndpoints(key: string, endpoints: readonly Endpoint[]): Endpoints {
    const inForce = this.#acquire(`service endpoints ${key}`, () => new CurrentEndpoints())
    this.#services = (this.#services ?? new Map()).set(inForce, endpoints)
    return new ServiceEndpoints(endpoints, inForce)
  }

  /**
   * The endpoints of a host by their addresses. They share their options.
   *
   * @param kind Services have endpoints of their own: an address that a service removes may still be a host's.
   */
  #endpointsOf(
    host: string,
    policies: ConnectionPolicies,
    kind = 'endpoint',
  ): (address: DialAddress) => Endpoint {
    const identity = this.#identity(policies, host)
    let options: EndpointOptions | undefined
    return (address) =>
      this.#acquire(
        `${kind} ${addressName(address)} ${identity}`,
        () => new Endpoint(address, (options ??= this.#supervised(policies, host))),
      )
  }

  /** Options of configured endpoints; those that clients name are not health-checked. */
  #supervised(policies: ConnectionPolicies, host: string): EndpointOptions {
    const { checks, healthChanged: changed } = this.#context
    const { health } = policies
    const supervision = health && { slowStartMs: health.slowStartMs, check: health.active, checks, changed }
    return { ...this.#optionsOf(policies)(host), supervision }
  }

  /** Hosts that requests name come later: the proxy is looked up before, with the resources of this configuration. */
  #optionsOf(policies: ConnectionPolicies): (host: string) => EndpointOptions {
    const { settings, lookup, connected } = this.#context
    const address = policies.backendTunnel && proxyAddress(policies.backendTunnel, this.#resources)
    return (host) => {
      const proxy = address && new HttpProxy(address, { ...settings, ...policies.tcp }, lookup)
      return endpointOptions(policies, settings, host, connected, proxy)
    }
  }

  #identity(policies: ConnectionPolicies, host: string): string {
    const { backendTunnel } = policies
    return identityOf(policies, host, backendTunnel && proxyAddress(backendTunnel, this.#resources))
  }
}

/** A service says which HTTP version its ports have, unless a policy does. */
const withAppProtocol = (
  policies: ConnectionPolicies,
  protocol: NonNullable<Service['appProtocols']>[string] | undefined,
): ConnectionPolicies =>
  protocol === undefined || policies.http?.version !== undefined
    ? policies
    : { ...policies, http: { ...policies.http, version: protocol === 'HTTP11' ? '1.1' : '2' } }

/** Checks send a host, as requests do. It belongs to the identity of an endpoint, as all of its health settings. */
const namedChecks = (policies: ConnectionPolicies, authority: string | undefined): ConnectionPolicies => {
  const { health } = policies
  const active = health?.active
  if (!active || 'tcp' in active || authority === undefined) return policies
  const named =
    'http' in active
      ? { ...active, http: { host: authority, ...active.http } }
      : { ...active, grpc: { host: authority, ...active.grpc } }
  return { ...policies, health: { ...health, active: named } }
}
