import type { Exchange } from '../model/exchange.ts'
import type { Request } from '../model/request.ts'
import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { callHttp } from './http.ts'
import { callHttp2 } from './http2.ts'
import { callNodeHttp } from './node-http.ts'
import { outgoing } from './outgoing.ts'
import { callConnect, callUpgrade } from './upgrade.ts'

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
  const { request } = x
  if (request.upgrade !== undefined || request.method === 'CONNECT')
    return sendUpgrade(request, endpoint, authority, events)
  const { protocol, tls } = endpoint.options
  const sent = outgoing(request, authority)
  if (protocol === 'http1' || (protocol === 'auto' && !isGrpc(request)))
    return overHttp1(request, endpoint, sent, events)
  return callHttp2(
    endpoint.http2,
    sent,
    tls ? 'https' : 'http',
    events,
    protocol === 'negotiated' ? () => overHttp1(request, endpoint, sent, events) : undefined,
  )
}

const overHttp1 = (
  { hasTrailers, path }: Request,
  endpoint: Endpoint,
  sent: UpstreamRequest,
  events: UpstreamEvents,
): UpstreamCall =>
  // `OPTIONS *` has no path, and undici knows paths only.
  hasTrailers || path === '*'
    ? callNodeHttp(endpoint.agent, sent, events)
    : callHttp(endpoint.pool, sent, events)

const sendUpgrade = (
  request: Request,
  { place, options }: Endpoint,
  authority: string | undefined,
  events: UpstreamEvents,
): UpstreamCall =>
  request.upgrade === undefined
    ? callConnect(place, options, events)
    : callUpgrade(place, options, outgoing(request, authority), request.upgrade, events)

const isGrpc = ({ headers, hasTrailers, body }: Request): boolean =>
  (hasTrailers || body.lengthBytes !== 0) &&
  (headers.get('content-type')?.startsWith('application/grpc') ?? false)
