import type { Evaluate } from '../model/evaluate.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import type { TlsUpstream } from '../model/policies.ts'
import type { BackendLabels } from '../model/snapshot.ts'
import { parseAuthority } from '../protocols/http/authority.ts'
import { parseIp } from '../protocols/ip/ip-address.ts'
import { BalancedCall, type BalancedOptions } from './balanced-call.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import { type Permission, refusedDestination } from './dynamic-allow.ts'
import type { DynamicPools } from './dynamic-pools.ts'
import { failedCall } from './failed-call.ts'
import type { HttpUpstream } from './upstream.ts'
import { WaitingCall } from './waiting-call.ts'

/** How an upstream that requests name themselves is called. */
export interface DynamicUpstreamOptions extends BalancedOptions {
  readonly labels: BackendLabels
  readonly permission: Permission
  readonly pools: DynamicPools
  readonly tls: TlsUpstream | undefined
  /** Gives `host[:port]`; undefined takes the authority of the request. */
  readonly target: Evaluate | undefined
}

/**
 * Calls whatever host the request names, as far as that is allowed. The addresses that were checked are the ones that
 * are connected to: between the check and the connection no name is looked up again.
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
    const wanted = this.#wanted(x)
    const authority = wanted === undefined ? undefined : parseAuthority(wanted)
    if (!authority) return failedCall(events, refusedDestination('no destination, or a malformed one'))
    const port = authority.port ?? (tls || x.request.scheme === 'https' ? 443 : 80)
    if (!permission.names(authority, port))
      return failedCall(events, refusedDestination(`${authority.host}:${port} is not on the list`))
    const host = authority.host.startsWith('[') ? authority.host.slice(1, -1) : authority.host
    const now = x.upstreamStartedAt
    const go = (addresses: readonly string[]): UpstreamCall => {
      // One bad address among good ones is how rebinding looks.
      const bad = addresses.find((ip) => !permission.reaches(ip))
      if (bad !== undefined) return failedCall(events, refusedDestination(`${host} is at ${bad}`))
      const endpoints = addresses.map((ip) => pools.endpoint({ ip, port }, host))
      // What an expression names is the upstream's own name; what the client named is in its request already.
      const named = target ? { ...this.#options, authority: authority.authority } : this.#options
      return new BalancedCall(x, endpoints, named, events).start()
    }
    if (parseIp(host)) return go([host])
    const name = pools.name(host)
    const known = name.known(now)
    if (known) return go(known)
    const waiting = new WaitingCall()
    name.resolve(now, (answer) =>
      waiting.go(() => (answer instanceof Fault ? failedCall(events, answer) : go(answer))),
    )
    return waiting
  }

  authority(x: Exchange): string | undefined {
    const wanted = this.#options.target ? this.#wanted(x) : undefined
    return wanted === undefined ? undefined : parseAuthority(wanted)?.authority
  }

  #wanted(x: Exchange): string | undefined {
    const { target } = this.#options
    if (!target) return x.request.authority
    const result = target(x)
    return 'value' in result && typeof result.value === 'string' ? result.value : undefined
  }
}
