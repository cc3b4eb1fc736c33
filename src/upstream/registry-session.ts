import type { Evaluate } from '../model/evaluate.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../model/policies.ts'
import type { PoolSettings } from '../model/process-settings.ts'
import type { BackendTarget, DynamicBackend, Resources, StaticTarget } from '../model/resources.ts'
import type { BackendLabels, Snapshot } from '../model/snapshot.ts'
import { type Ask, askOf } from './ask.ts'
import type { BalancedOptions } from './balanced-call.ts'
import { type Place, placeName } from './dial.ts'
import { DynamicUpstream } from './dynamic.ts'
import { permission } from './dynamic-allow.ts'
import { DynamicPools } from './dynamic-pools.ts'
import { Endpoint, type EndpointOptions } from './endpoint.ts'
import { type ConnectionPolicies, endpointOptions, identityOf } from './endpoint-options.ts'
import { EndpointUpstream } from './endpoint-upstream.ts'
import { type Endpoints, FixedEndpoints, NamedEndpoints } from './endpoints.ts'
import type { GrpcService } from './grpc.ts'
import { grpcLibrary } from './grpc-library.ts'
import { grpcPlace } from './grpc-place.ts'
import { type MirrorCopy, mirrorTo } from './mirror.ts'
import { HttpProxy } from './http-proxy.ts'
import { proxyPlace } from './proxy-place.ts'
import { serviceNamed, servicePlaces } from './service-places.ts'
import type { Closable } from './leaving.ts'
import { authorityOf, isAddress, placeOf } from './target.ts'
import type { HttpUpstream } from './upstream.ts'
import type { Workplace } from './workplace.ts'

/** Where something is, and what it is called in requests. */
interface Destination {
  readonly labels: BackendLabels
  readonly endpoints: Endpoints
  readonly authority: string | undefined
}

/** One configuration's share in the things that have a life of their own. Ends with `commit` or `discard`. */
export class RegistrySession {
  readonly #at: Workplace
  readonly #resources: Resources
  readonly #expression: (text: Cel) => Evaluate
  readonly #key: (text: Cel) => Evaluate
  readonly #committed: (session: RegistrySession, snapshot: Snapshot) => void
  readonly #keys = new Set<string>()

  constructor(
    at: Workplace,
    resources: Resources,
    expression: (text: Cel) => Evaluate,
    key: (text: Cel) => Evaluate,
    committed: (session: RegistrySession, snapshot: Snapshot) => void,
  ) {
    this.#at = at
    this.#resources = resources
    this.#expression = expression
    this.#key = key
    this.#committed = committed
  }

  /** How many connections the webhooks of guards get. */
  get guardrailWebhook(): PoolSettings {
    return this.#at.guardrailWebhook
  }

  /**
   * The destination behind a reference, with the policies that hold for it there.
   *
   * @returns Undefined if there is no such destination, or nothing that answers HTTP requests.
   */
  upstream(target: BackendTarget | SimpleBackend, policies: BackendPolicies): HttpUpstream | undefined {
    const dynamic = target.kind === 'backend' ? this.#backend(target.key) : undefined
    if (dynamic?.spec.type === 'dynamic') return this.#dynamic(dynamic.key, dynamic.spec, policies)
    const destination = this.#destination(target, policies)
    return destination && new EndpointUpstream({ ...destination, ...this.#balancing(policies) })
  }

  /**
   * Sends copies of requests to a destination, and forgets the answers.
   *
   * @param policies As for `ask`.
   */
  mirror(target: SimpleBackend, policies: BackendPolicies): (copy: MirrorCopy) => Promise<void> {
    const { random, mirrored } = this.#at
    if (target.kind === 'host') {
      const authority = authorityOf(target.target, policies.backendTLS !== undefined)
      return mirrorTo(this.#static(target.target, policies), authority, random, mirrored)
    }
    const own = target.kind === 'backend' ? this.#backend(target.key)?.policies : undefined
    const destination = this.#destination(target, { ...own, ...policies })
    if (!destination) return () => Promise.resolve()
    return mirrorTo(destination.endpoints, destination.authority, random, mirrored)
  }

  /**
   * Asks the service of a policy small questions.
   *
   * @param policies How it is connected to; those of a named backend hold where these say nothing.
   * @returns Undefined if there is no such destination, or none that is known before a request is.
   */
  ask(target: SimpleBackend, policies: ConnectionPolicies): Ask | undefined {
    const own = target.kind === 'backend' ? this.#backend(target.key)?.policies : undefined
    const destination = this.#destination(target, { ...own, ...policies })
    return destination && askOf(destination.endpoints, destination.authority, this.#at.random)
  }

  /**
   * Calls the gRPC service of a policy.
   *
   * @param policies As for `ask`.
   * @returns As for `ask`.
   */
  grpc(target: SimpleBackend, policies: BackendPolicies): GrpcService | undefined {
    const own = target.kind === 'backend' ? this.#backend(target.key)?.policies : undefined
    const at = grpcPlace(target, this.#resources)
    if (!at) return undefined
    const merged = { ...own, ...policies }
    const options = endpointOptions(merged, this.#at.settings, at.host)
    const { GrpcClient } = grpcLibrary()
    return this.#take(
      `grpc ${at.target} ${String(at.authority)} ${identityOf(merged, at.host)}`,
      () => new GrpcClient({ ...options, target: at.target, authority: at.authority }),
    )
  }

  /**
   * Something that outlives this configuration if the next one needs it too: a key set, a bucket of a limit, a client of
   * a deciding service.
   *
   * @param key What it is, and everything that makes it another one. Begin it with the kind of thing.
   */
  keep<T extends Closable>(key: string, make: () => T): T {
    return this.#take(key, make)
  }

  /** The configuration is in force: what only the one before used is let go of when its last exchange has ended. */
  commit(snapshot: Snapshot): void {
    this.#committed(this, snapshot)
  }

  /** The configuration was not taken. What was made for it alone is closed. */
  discard(): void {
    this.release()
  }

  /** Gives everything back. */
  release(): void {
    for (const key of this.#keys) this.#at.shelf.giveBack(key)
    this.#keys.clear()
  }

  #backend(key: string) {
    return this.#resources.backends.find((one) => one.key === key)
  }

  #destination(target: BackendTarget | SimpleBackend, policies: ConnectionPolicies): Destination | undefined {
    if (target.kind === 'host') {
      const authority = authorityOf(target.target, policies.backendTLS !== undefined)
      return {
        labels: { name: authority ?? 'unix', type: 'static', protocol: 'http' },
        endpoints: this.#static(target.target, policies),
        authority,
      }
    }
    if (target.kind === 'service') return this.#service(target.name, target.port, policies)
    const backend = target.kind === 'backend' ? this.#backend(target.key) : undefined
    if (backend?.spec.type !== 'static') return undefined
    return {
      labels: { name: backend.key, type: 'static', protocol: 'http' },
      endpoints: this.#static(backend.spec.target, policies),
      authority: authorityOf(backend.spec.target, policies.backendTLS !== undefined),
    }
  }

  #static(target: StaticTarget, policies: ConnectionPolicies): Endpoints {
    const host = 'unix' in target ? '' : target.host
    // Behind a proxy, names are for the proxy to look up: whoever needs one often knows no names of the outside.
    if ('unix' in target || isAddress(host) || policies.backendTunnel)
      return new FixedEndpoints([this.#endpoint(placeOf(target), host, policies)])
    return this.#take(
      `name ${host}:${target.port} ${this.#identity(policies, host)}`,
      () => new NamedEndpoints(host, target.port, this.#options(policies, host), this.#at.lookup),
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

  #dynamic(name: string, { allow, target }: DynamicBackend, policies: BackendPolicies): HttpUpstream {
    const { lookup, evicted } = this.#at
    // The permission is asked anew for each request, so that pools may be shared by all who dial in the same way.
    const pools = this.#take(
      `dynamic ${this.#identity(policies, '')}`,
      () => new DynamicPools((host) => this.#options(policies, host), lookup, evicted),
    )
    return new DynamicUpstream({
      ...this.#balancing(policies),
      labels: { name, type: 'dynamic', protocol: 'http' },
      authority: undefined,
      permission: permission(allow),
      pools,
      tls: policies.backendTLS,
      target: target === undefined ? undefined : this.#expression(target),
    })
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

  #balancing({ health, sessionAffinity }: BackendPolicies): Omit<BalancedOptions, 'authority'> {
    const unhealthy = health?.unhealthyExpression
    return {
      eviction: health?.eviction,
      unhealthy: unhealthy === undefined ? undefined : this.#expression(unhealthy),
      affinity: sessionAffinity && this.#key(sessionAffinity.source),
      random: this.#at.random,
    }
  }

  /** Takes one share in a thing, however often the configuration needs it. */
  #take<T extends Closable>(key: string, make: () => T): T {
    const item = this.#at.shelf.take(key, make)
    if (this.#keys.has(key)) this.#at.shelf.giveBack(key)
    this.#keys.add(key)
    return item
  }
}
