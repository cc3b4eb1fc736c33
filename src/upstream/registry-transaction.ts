import type { Evaluate } from '../model/exchange/expression.ts'
import type { LoadBalancing } from './load-balancing/schema/normal-form.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../model/resources/policies.ts'
import type { PoolSettings } from '../model/resources/process-settings.ts'
import { publicTls } from '../model/resources/public-tls.ts'
import type { DynamicBackend } from '../model/resources/dynamic-backend.ts'
import type { ResourceLookup } from '../model/resources/resource-index.ts'
import type { BackendTarget } from '../model/resources/resources.ts'
import type { Snapshot } from '../model/resources/snapshot.ts'
import { type HttpCallout, httpCallout } from './http-callout.ts'
import type { BalancedOptions } from './load-balancing/balanced-call.ts'
import { BackendCounts, type CallCounts } from './load-balancing/call-counts.ts'
import { type Balancer, balancerOf, BetterOfTwo, ByKey } from './load-balancing/balancer.ts'
import { Destinations } from './destinations.ts'
import type { Reported } from './load-balancing/health-report.ts'
import { DynamicUpstream } from './dynamic/dynamic-upstream.ts'
import { permission } from './dynamic/allowed-destinations.ts'
import type { ConnectionPolicies } from './load-balancing/endpoint-options.ts'
import type { Supervised } from './load-balancing/endpoint.ts'
import { endpointsUpstream } from './load-balancing/picked-upstream.ts'
import type { GrpcService } from './grpc/grpc-client.ts'
import { grpcLibrary } from './grpc/lazy-grpc.ts'
import { grpcUnreachableFault } from './grpc/grpc-tunnel.ts'
import { serviceConnection } from './grpc/service-connection.ts'
import { unreachableService } from './grpc/unreachable-service.ts'
import { type MirrorCopy, mirrorTo } from './request-mirror.ts'
import { replicaUpstream } from './replica-upstream.ts'
import type { Closable } from './draining.ts'
import type { Shared } from './shared-resources.ts'
import { authorityOf } from './connect/address.ts'
import type { HttpUpstream } from './upstream.ts'
import type { RegistryContext } from './registry-context.ts'

/**
 * The use of the shared resources by one configuration, or by a part of it that later configurations may take over.
 * Ends with `commit` or `discard`.
 */
export class RegistryTransaction {
  readonly #context: RegistryContext
  readonly #resources: ResourceLookup
  readonly #expression: (text: Cel) => Evaluate
  readonly #key: (text: Cel) => Evaluate
  readonly #committed: (session: RegistryTransaction, snapshot: Snapshot) => void
  readonly #destinations: Destinations
  readonly #shared = new Set<Shared>()
  readonly #reported: Reported[] = []
  readonly #usual: Balancer
  /** Number of snapshots that have it. */
  #snapshots = 0
  readonly #onReload: (() => void)[] = []

  constructor(
    context: RegistryContext,
    resources: ResourceLookup,
    expression: (text: Cel) => Evaluate,
    key: (text: Cel) => Evaluate,
    committed: (session: RegistryTransaction, snapshot: Snapshot) => void,
  ) {
    this.#context = context
    this.#resources = resources
    this.#expression = expression
    this.#key = key
    this.#committed = committed
    this.#usual = new BetterOfTwo(context.random)
    this.#destinations = new Destinations(context, resources, (kept, make) => this.#take(kept, make))
  }

  /** Pool settings of guardrail webhooks. */
  get guardrailWebhook(): PoolSettings {
    return this.#context.guardrailWebhook
  }

  /**
   * The destination of a reference, with its policies.
   *
   * @returns Undefined if there is no such destination, or none that serves HTTP.
   */
  upstream(target: BackendTarget | SimpleBackend, policies: BackendPolicies): HttpUpstream | undefined {
    const dynamic = target.kind === 'backend' ? this.#destinations.backend(target.key) : undefined
    if (dynamic?.spec.type === 'dynamic') return this.#dynamic(dynamic.key, dynamic.spec, policies)
    const destination = this.#destinations.find(target, policies)
    if (!destination) return undefined
    const { labels, endpoints } = destination
    const isSupervised = policies.health !== undefined
    const counts = this.#take(`counts ${labels.name}`, () => new BackendCounts())
    this.#reported.push({ backend: labels.name, endpoints, isSupervised, counts })
    const balancing = this.#balancing(policies)
    const isDefault = balancing.balancer === this.#usual
    const balancer = destination.balanced?.(balancing.balancer, isDefault) ?? balancing.balancer
    const all = { ...destination, ...balancing, balancer, isSupervised, counts }
    return endpointsUpstream(all, policies, () => this.#destinations.pools('picked', policies))
  }

  /**
   * Mirrors requests to a destination, and discards the responses.
   *
   * @param policies As for `httpCallout`.
   */
  mirror(target: SimpleBackend, policies: BackendPolicies): (copy: MirrorCopy) => Promise<void> {
    const { mirrored } = this.#context
    if (target.kind === 'host') {
      const authority = authorityOf(target.target, policies.backendTLS !== undefined)
      return mirrorTo(this.#destinations.static(target.target, policies), authority, this.#usual, mirrored)
    }
    const found = this.#destinations.ofPolicy(target, policies, this.#usual)
    if (!found) return () => Promise.resolve()
    return mirrorTo(found.endpoints, found.authority, found.balancer, mirrored)
  }

  /**
   * Callouts to the service of a policy.
   *
   * @param policies Of its connections; those of a named backend apply where these set nothing.
   * @returns Undefined if there is no such destination, or none that is known before a request is.
   */
  httpCallout(target: SimpleBackend, policies: ConnectionPolicies): HttpCallout | undefined {
    const found = this.#destinations.ofPolicy(target, policies, this.#usual)
    return found && httpCallout(found.endpoints, found.authority, found.balancer)
  }

  /**
   * Calls the gRPC service of a policy.
   *
   * @see httpCallout for `policies` and what is returned.
   */
  grpc(target: SimpleBackend, policies: BackendPolicies): GrpcService | undefined {
    const merged = { ...this.#destinations.policiesOf(target), ...policies }
    const found = serviceConnection(target, merged, this.#resources, this.#context.settings)
    if (!found) return undefined
    if ('why' in found) return unreachableService(() => grpcUnreachableFault(found))
    const { GrpcClient } = grpcLibrary()
    return this.#take(found.identity, () => new GrpcClient(found.options))
  }

  /** Upstreams for other replicas of the gateway, by their addresses. */
  replicas(): (address: string) => HttpUpstream {
    const plain = this.#destinations.pools('replicas', {})
    const encrypted = this.#destinations.pools('replicas', { backendTLS: publicTls })
    return (address) => replicaUpstream(address, { plain, encrypted, random: this.#context.random })
  }

  /**
   * A resource that outlives this configuration if the next one uses it too: a key set, a bucket of a limit, a client
   * of an authorization service.
   *
   * @param key Its kind, and everything that distinguishes it. Begin with the kind.
   */
  keep<T extends Closable>(key: string, make: () => T): T {
    return this.#take(key, make)
  }

  /** Adds a destination to the reports that is not made by `upstream`, such as a provider of language models. */
  report(backend: string, endpoint: Supervised & { readonly counts: CallCounts }): void {
    const counts = { of: () => endpoint.counts }
    this.#reported.push({ backend, endpoints: endpoint, isSupervised: true, counts })
  }

  /** To be called whenever the endpoint of a report is excluded, and when it is used again. */
  get healthChanged(): (endpoint: Supervised, now: number) => void {
    return this.#context.healthChanged
  }

  /** The destinations of requests, in the order of the configuration. */
  get reported(): readonly Reported[] {
    return this.#reported
  }

  /**
   * The balancer of a policy.
   *
   * @param usual The default.
   */
  balancer(configured: LoadBalancing | undefined, usual: Balancer): Balancer {
    return balancerOf(configured, usual, this.#context.random, this.#key)
  }

  /** Puts the configuration in force: resources of the one before are released when its last exchange has ended. */
  commit(snapshot: Snapshot): void {
    this.#committed(this, snapshot)
  }

  /** The configuration was rejected. Closes the resources that only it uses; a part of an earlier one keeps them. */
  discard(): void {
    if (this.#snapshots === 0) this.#releaseAll()
  }

  /** Calls back whenever a configuration that was read again takes this part over. */
  onReload(callback: () => void): void {
    this.#onReload.push(callback)
  }

  /** A configuration that was read again has this part. */
  reloaded(): void {
    for (const callback of this.#onReload) callback()
  }

  /** One more snapshot has it. */
  retain(): void {
    this.#snapshots++
    this.#destinations.enforce()
  }

  /** A snapshot that had it has ended: with the last one, all its resources are released. */
  release(): void {
    if (--this.#snapshots === 0) this.#releaseAll()
  }

  #releaseAll(): void {
    for (const shared of this.#shared) this.#context.sharedResources.release(shared)
    this.#shared.clear()
  }

  #dynamic(name: string, { allow, target }: DynamicBackend, policies: BackendPolicies): HttpUpstream {
    // The permission is checked for each request, so that pools may be shared by policies with equal connection
    // settings.
    const pools = this.#destinations.pools('dynamic', policies)
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

  #balancing({
    health,
    sessionAffinity,
    loadBalancing,
  }: BackendPolicies): Omit<BalancedOptions, 'authority'> {
    const unhealthy = health?.unhealthyExpression
    const balancer = this.balancer(loadBalancing, this.#usual)
    return {
      eviction: health?.eviction,
      panicThreshold: health?.panicThreshold,
      unhealthy: unhealthy === undefined ? undefined : this.#expression(unhealthy),
      balancer: sessionAffinity ? new ByKey(this.#key(sessionAffinity.source), balancer) : balancer,
    }
  }

  /** Acquires a resource once, however often the configuration uses it. */
  #take<T extends Closable>(key: string, make: () => T): T {
    const shared = this.#context.sharedResources.acquire(key, make)
    if (this.#shared.has(shared)) this.#context.sharedResources.release(shared)
    this.#shared.add(shared)
    return shared.item
  }
}
