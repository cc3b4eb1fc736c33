import type { Evaluate } from '../../model/exchange/expression.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { BackendTarget } from '../../model/resources/resources.ts'
import type { Closable } from '../../upstream/draining.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import type { HttpCallout } from '../../upstream/http-callout.ts'
import { failedCall } from '../../upstream/http/failed-call.ts'
import type { RegistryContext } from '../../upstream/registry-context.ts'
import { RegistryTransaction } from '../../upstream/registry-transaction.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import type { OfflineDestinations } from './offline-destinations.ts'

/** One configuration's use of an {@link OfflineRegistry}. */
export class OfflineTransaction extends RegistryTransaction {
  readonly #destinations: OfflineDestinations

  constructor(
    context: RegistryContext,
    resources: ResourceLookup,
    compile: { readonly expression: (text: Cel) => Evaluate; readonly key: (text: Cel) => Evaluate },
    destinations: OfflineDestinations,
  ) {
    super(context, resources, compile.expression, compile.key, () => undefined)
    this.#destinations = destinations
  }

  override upstream(
    target: BackendTarget | SimpleBackend,
    policies: BackendPolicies,
  ): HttpUpstream | undefined {
    // Upstreams with health may be skipped for another one, by outcomes that do not exist here.
    const { health: _, ...others } = policies
    const real = super.upstream(target, others)
    return real && this.#destinations.upstream(real, target, policies)
  }

  override mirror(): () => Promise<void> {
    return () => Promise.resolve()
  }

  override httpCallout(): HttpCallout {
    return () => Promise.reject(this.#offline('HTTP service'))
  }

  override grpc(): GrpcService {
    return {
      unary: () => Promise.reject(this.#offline('gRPC service')),
      stream: (_, events) => {
        queueMicrotask(() => events.ended(this.#offline('gRPC service')))
        return { ...silentStream, send: () => true }
      },
      onConnected: () => () => undefined,
    }
  }

  override replicas(): (address: string) => HttpUpstream {
    const labels = { name: 'replica', type: 'static', protocol: 'http' } as const
    return () => ({ labels, call: (_, events) => failedCall(events, this.#offline('replica')) })
  }

  /** Kinds that fetch something are replaced; the others are made as in a gateway. */
  override keep<T extends Closable>(key: string, make: () => T): T {
    const [kind = ''] = key.split(' ', 1)
    const substitute = this.#substitute(kind)
    // The type of a key is known to its callers only, as in `SharedResources`.
    return super.keep(key, substitute ? () => substitute as unknown as T : make)
  }

  #substitute(kind: string): Closable | undefined {
    const reject = (what: string) => () => Promise.reject(this.#offline(what))
    if (kind === 'issuer-metadata') return { get: reject('issuer'), ...inert } as Closable
    if (kind === 'form-relay') return { post: reject('issuer'), ...inert } as Closable
    return kind === 'key-set' ? new AbsentKeys(() => this.#destinations.onCallout('key set')) : undefined
  }

  #offline(kind: string): Fault {
    this.#destinations.onCallout(kind)
    return new Fault('upstream_connect', `the ${kind} is not called here`, { status: 503 })
  }
}

const ignore = (): void => undefined
const silentStream = { onDrain: ignore, finish: ignore, pause: ignore, resume: ignore, cancel: ignore }

const inert: Closable = { close: () => Promise.resolve(), destroy: () => Promise.resolve() }

/** Keys that would have to be fetched. A search for one is reported. */
class AbsentKeys implements Closable {
  readonly ring = undefined
  readonly #onSeek: () => void

  constructor(onSeek: () => void) {
    this.#onSeek = onSeek
  }

  seek(): Promise<void> {
    this.#onSeek()
    return Promise.resolve()
  }

  close(): Promise<void> {
    return Promise.resolve()
  }

  destroy(): Promise<void> {
    return Promise.resolve()
  }
}
