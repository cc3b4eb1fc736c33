import type { Evaluate } from '../model/evaluate.ts'
import type { BackendPolicies, Cel } from '../model/policies.ts'
import type { UpstreamSettings } from '../model/process-settings.ts'
import type { BackendTarget, Resources, StaticTarget } from '../model/resources.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { Endpoint, type EndpointOptions } from './endpoint.ts'
import { EndpointUpstream } from './endpoint-upstream.ts'
import { type Endpoints, FixedEndpoints, NamedEndpoints } from './endpoints.ts'
import type { Lookup } from './name.ts'
import { placeName } from './dial.ts'
import type { Shelf } from './shelf.ts'
import { TlsClient } from './tls.ts'
import { isAddress, authorityOf, placeOf } from './target.ts'
import type { HttpUpstream } from './upstream.ts'
import { servicePlaces } from './service-places.ts'

/** What a session takes from its registry. */
export interface Workplace {
  readonly settings: UpstreamSettings
  readonly lookup: Lookup
  readonly random: () => number
}

/** One configuration's share in the things that have a life of their own. Ends with `commit` or `discard`. */
export class RegistrySession {
  readonly #place: Workplace
  readonly #shelf: Shelf
  readonly #resources: Resources
  readonly #expression: (text: Cel) => Evaluate
  readonly #committed: (session: RegistrySession, snapshot: Snapshot) => void
  readonly #keys = new Set<string>()

  constructor(
    place: Workplace,
    shelf: Shelf,
    resources: Resources,
    expression: (text: Cel) => Evaluate,
    committed: (session: RegistrySession, snapshot: Snapshot) => void,
  ) {
    this.#place = place
    this.#shelf = shelf
    this.#resources = resources
    this.#expression = expression
    this.#committed = committed
  }

  /**
   * The destination behind a reference, with the policies that hold for it there.
   *
   * @returns Undefined if there is no such destination.
   */
  upstream(target: BackendTarget, policies: BackendPolicies): HttpUpstream | undefined {
    if (target.kind === 'service') return this.#service(target.name, target.port, policies)
    if (target.kind !== 'backend') return undefined
    const backend = this.#resources.backends.find(({ key }) => key === target.key)
    if (backend?.spec.type !== 'static') return undefined
    const { target: place } = backend.spec
    return this.#upstream(
      backend.key,
      'static',
      this.#static(place, policies),
      authorityOf(place, policies.backendTLS !== undefined),
      policies,
    )
  }

  /** The configuration is in force: what only its predecessor used is let go of when that one's exchanges have ended. */
  commit(snapshot: Snapshot): void {
    this.#committed(this, snapshot)
  }

  /** The configuration was not taken. What was made for it alone is closed. */
  discard(): void {
    this.release()
  }

  /** Gives everything back. */
  release(): void {
    for (const key of this.#keys) this.#shelf.giveBack(key)
    this.#keys.clear()
  }

  #service(name: string, port: number, policies: BackendPolicies): HttpUpstream | undefined {
    const service = this.#resources.services.find(
      (one) => `${one.namespace}/${one.hostname}` === name || `${one.namespace}/${one.name}` === name,
    )
    if (!service) return undefined
    const options = this.#endpointOptions(policies, service.hostname)
    const endpoints = servicePlaces(service, port, this.#resources.workloads).map((place) =>
      this.#take(
        `endpoint ${placeName(place)} ${identityOf(policies, service.hostname)}`,
        () => new Endpoint(place, options),
      ),
    )
    const authority = authorityOf({ host: service.hostname, port }, policies.backendTLS !== undefined)
    return this.#upstream(name, 'service', new FixedEndpoints(endpoints), authority, policies)
  }

  #upstream(
    name: string,
    type: 'static' | 'service',
    endpoints: Endpoints,
    authority: string | undefined,
    { health, sessionAffinity }: BackendPolicies,
  ): HttpUpstream {
    return new EndpointUpstream({
      labels: { name, type, protocol: 'http' },
      endpoints,
      authority,
      eviction: health?.eviction,
      unhealthy:
        health?.unhealthyExpression === undefined ? undefined : this.#expression(health.unhealthyExpression),
      affinity: sessionAffinity && this.#expression(sessionAffinity.source),
      random: this.#place.random,
    })
  }

  #static(target: StaticTarget, policies: BackendPolicies): Endpoints {
    const host = 'unix' in target ? '' : target.host
    const options = this.#endpointOptions(policies, host)
    const identity = identityOf(policies, host)
    if ('host' in target && !isAddress(target.host)) {
      const key = `name ${target.host}:${target.port} ${identity}`
      return this.#take(key, () => new NamedEndpoints(target.host, target.port, options, this.#place.lookup))
    }
    const place = placeOf(target)
    const endpoint = this.#take(
      `endpoint ${placeName(place)} ${identity}`,
      () => new Endpoint(place, options),
    )
    return new FixedEndpoints([endpoint])
  }

  #endpointOptions({ tcp, backendTLS }: BackendPolicies, host: string): EndpointOptions {
    const { settings } = this.#place
    return {
      connectTimeoutMs: tcp?.connectTimeoutMs ?? settings.connectTimeoutMs,
      keepalives: tcp?.keepalives ?? settings.keepalives,
      tls: backendTLS && new TlsClient(backendTLS, host),
      poolIdleTimeoutMs: settings.poolIdleTimeoutMs,
      poolMaxSize: settings.poolMaxSize,
    }
  }

  /** Takes one share in a thing, however often the configuration needs it. */
  #take<T extends { close(): Promise<void> }>(key: string, make: () => T): T {
    const item = this.#shelf.take(key, make)
    if (this.#keys.has(key)) this.#shelf.giveBack(key)
    this.#keys.add(key)
    return item
  }
}

/** What makes connections to one address different from others to the same address. */
const identityOf = ({ tcp, backendTLS, http, health }: BackendPolicies, host: string): string =>
  JSON.stringify([backendTLS && host, backendTLS, tcp, http?.version, health])
