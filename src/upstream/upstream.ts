import type { Exchange } from '../model/exchange/exchange.ts'
import type { BackendLabels } from '../model/resources/snapshot.ts'
import type { EndpointCondition } from './load-balancing/choice.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'

/** A destination for HTTP requests: one or several endpoints behind a name. */
export interface HttpUpstream {
  readonly labels: BackendLabels
  /** Sends the exchange's request. Sets `x.upstream.endpoint`; events may come before it returns. */
  call(x: Exchange, events: UpstreamEvents): UpstreamCall
  /** The authority of requests to it; undefined if that is the client's. */
  authority?(x: Exchange): string | undefined
  /** The endpoints worth picking, where a service picks them and they are fewer than all. */
  subset?(x: Exchange): readonly string[] | undefined
  /** Whether it can be used; undefined if its health is not supervised. */
  readonly condition?: EndpointCondition | undefined
}
