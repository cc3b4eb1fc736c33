import type { Exchange } from '../model/exchange.ts'
import type { UpstreamCall, UpstreamEvents } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { callHttp } from './http.ts'
import { outgoing } from './outgoing.ts'

/** Sends the request of an exchange to one endpoint, in the protocol that suits both. */
export const send = (
  x: Exchange,
  endpoint: Endpoint,
  authority: string | undefined,
  events: UpstreamEvents,
): UpstreamCall => {
  x.endpoint = endpoint.name
  if (x.probe) {
    x.probe.snapshot('final request')
    x.probe.note({ type: 'backendCallStart', target: endpoint.name })
  }
  return callHttp(endpoint.pool, outgoing(x.request, authority), events)
}
