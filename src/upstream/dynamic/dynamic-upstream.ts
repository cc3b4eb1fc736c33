import type { Evaluate } from '../../model/exchange/expression.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { TlsUpstream } from '../../model/resources/policies.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import { parseAuthority } from '../../protocols/http/authority.ts'
import { parseIp } from '../../protocols/ip/ip-address.ts'
import { BalancedCall, type BalancedOptions } from '../load-balancing/balanced-call.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import { type Permission, refusedDestination } from './allowed-destinations.ts'
import type { DynamicPools } from './dynamic-pools.ts'
import { failedCall } from '../http/failed-call.ts'
import type { HttpUpstream } from '../upstream.ts'
import { DeferredCall } from '../http/deferred-call.ts'

/** How an upstream whose address comes from the request is called. */
export interface DynamicUpstreamOptions extends BalancedOptions {
  readonly labels: BackendLabels
  readonly permission: Permission
  readonly pools: DynamicPools
  readonly tls: TlsUpstream | undefined
  /** Gives `host[:port]`; undefined takes the authority of the request. */
  readonly target: Evaluate | undefined
}

/**
 * Calls the host that the request names, if that is allowed. The checked addresses are the ones that are dialled: no
 * second lookup happens between the check and the connection.
 */
export class DynamicUpstream implements HttpUpstream {
  readonly labels: BackendLabels
  readonly #options: DynamicUpstreamOptions

  constructor(options: DynamicUpstreamOptions) {
    this.labels = options.labels
    this.#options = options
  }

  call(x: Exchange, events: UpstreamEvents): UpstreamCall {
    const { permission, pools, target, tls } = this.#options
    const destination = this.#destination(x)
    const authority = destination === undefined ? undefined : parseAuthority(destination)
    if (!authority) return failedCall(events, refusedDestination('no destination, or a malformed one'))
    const port = authority.port ?? (tls || x.request.scheme === 'https' ? 443 : 80)
    if (!permission.names(authority, port))
      return failedCall(events, refusedDestination(`${authority.host}:${port} is not on the list`))
    const host = authority.host.startsWith('[') ? authority.host.slice(1, -1) : authority.host
    const now = x.upstream.startedAt
    const go = (addresses: readonly string[]): UpstreamCall => {
      // One bad address among good ones indicates DNS rebinding.
      const bad = addresses.find((ip) => !permission.reaches(ip))
      if (bad !== undefined) return failedCall(events, refusedDestination(`${host} is at ${bad}`))
      const endpoints = addresses.map((ip) => pools.endpoint({ ip, port }, host))
      // An expression gives the upstream's own name; a name from the client is in its request already.
      const named = target ? { ...this.#options, authority: authority.authority } : this.#options
      return new BalancedCall(x, endpoints, named, events).start()
    }
    if (parseIp(host)) return go([host])
    const name = pools.name(host)
    const known = name.known(now)
    if (known) return go(known)
    const waiting = new DeferredCall()
    name.resolve(now, (found) =>
      waiting.start(() => (found instanceof Fault ? failedCall(events, found) : go(found))),
    )
    return waiting
  }

  authority(x: Exchange): string | undefined {
    const destination = this.#options.target ? this.#destination(x) : undefined
    return destination === undefined ? undefined : parseAuthority(destination)?.authority
  }

  #destination(x: Exchange): string | undefined {
    const { target } = this.#options
    if (!target) return x.request.authority
    const result = target(x)
    return 'value' in result && typeof result.value === 'string' ? result.value : undefined
  }
}
