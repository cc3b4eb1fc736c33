import type { Evaluate } from '../model/evaluate.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../model/policies.ts'
import type { PoolSettings } from '../model/process-settings.ts'
import { publicTls } from '../model/public-tls.ts'
import type { BackendTarget, DynamicBackend, Resources } from '../model/resources.ts'
import type { Snapshot } from '../model/snapshot.ts'
import { type Ask, askOf } from './ask.ts'
import type { BalancedOptions } from './balanced-call.ts'
import { Destinations } from './destinations.ts'
import { DynamicUpstream } from './dynamic.ts'
import { permission } from './dynamic-allow.ts'
import { type ConnectionPolicies, endpointOptions, identityOf } from './endpoint-options.ts'
import { EndpointUpstream } from './endpoint-upstream.ts'
import type { GrpcService } from './grpc.ts'
import { grpcLibrary } from './grpc-library.ts'
import { grpcPlace } from './grpc-place.ts'
import { type MirrorCopy, mirrorTo } from './mirror.ts'
import { replicaUpstream } from './replica.ts'
import type { Closable } from './leaving.ts'
import { authorityOf } from './target.ts'
import type { HttpUpstream } from './upstream.ts'
import type { Workplace } from './workplace.ts'

/** One configuration's share in the things that have a life of their own. Ends with `commit` or `discard`. */
export class RegistrySession {
  readonly #at: Workplace
  readonly #resources: Resources
  readonly #expression: (text: Cel) => Evaluate
  readonly #key: (text: Cel) => Evaluate
  readonly #committed: (session: RegistrySession, snapshot: Snapshot) => void
  readonly #destinations: Destinations
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
    this.#destinations = new Destinations(at, resources, (kept, make) => this.#take(kept, make))
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
    const dynamic = target.kind === 'backend' ? this.#destinations.backend(target.key) : undefined
    if (dynamic?.spec.type === 'dynamic') return this.#dynamic(dynamic.key, dynamic.spec, policies)
    const destination = this.#destinations.find(target, policies)
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
      return mirrorTo(this.#destinations.static(target.target, policies), authority, random, mirrored)
    }
    const own = this.#destinations.policiesOf(target)
    const destination = this.#destinations.find(target, { ...own, ...policies })
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
    const own = this.#destinations.policiesOf(target)
    const destination = this.#destinations.find(target, { ...own, ...policies })
    return destination && askOf(destination.endpoints, destination.authority, this.#at.random)
  }

  /**
   * Calls the gRPC service of a policy.
   *
   * @param policies As for `ask`.
   * @returns As for `ask`.
   */
  grpc(target: SimpleBackend, policies: BackendPolicies): GrpcService | undefined {
    const own = this.#destinations.policiesOf(target)
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

  /** The way to other replicas of the gateway, by their addresses. */
  replicas(): (address: string) => HttpUpstream {
    const plain = this.#destinations.pools('replicas', {})
    const encrypted = this.#destinations.pools('replicas', { backendTLS: publicTls })
    return (address) => replicaUpstream(address, { plain, encrypted, random: this.#at.random })
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

  #dynamic(name: string, { allow, target }: DynamicBackend, policies: BackendPolicies): HttpUpstream {
    // The permission is asked anew for each request, so that pools may be shared by all who dial in the same way.
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
