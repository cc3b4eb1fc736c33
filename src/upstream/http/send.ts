import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Request } from '../../model/exchange/request.ts'
import type { UpstreamCall, UpstreamEvents } from '../call.ts'
import type { Endpoint } from '../load-balancing/endpoint.ts'
import { callHttp1 } from './http1.ts'
import { callHttp2 } from './http2.ts'
import { outgoing } from './upstream-request.ts'
import { callConnect, callUpgrade } from './upgrade.ts'

/** Sends the request of an exchange to one endpoint, in the protocol that suits both. */
export const send = (
  x: Exchange,
  endpoint: Endpoint,
  authority: string | undefined,
  events: UpstreamEvents,
): UpstreamCall => {
  x.upstream.endpoint = endpoint.name
  if (x.probe) {
    x.probe.snapshot('final request')
    x.probe.record({ type: 'backendCallStart', target: endpoint.name })
  }
  const { request } = x
  if (request.upgrade !== undefined || request.method === 'CONNECT')
    return sendUpgrade(request, endpoint, authority, events)
  const { protocol, tls } = endpoint.options
  const sent = outgoing(request, authority)
  if (protocol === 'http1' || (protocol === 'auto' && !isGrpc(request)))
    return callHttp1(endpoint, sent, events, request.hasTrailers)
  return callHttp2(
    endpoint.http2,
    sent,
    tls ? 'https' : 'http',
    events,
    protocol === 'negotiated' ? () => callHttp1(endpoint, sent, events, request.hasTrailers) : undefined,
  )
}

const sendUpgrade = (
  request: Request,
  endpoint: Endpoint,
  authority: string | undefined,
  events: UpstreamEvents,
): UpstreamCall =>
  request.upgrade === undefined
    ? callConnect(endpoint, events)
    : callUpgrade(endpoint, outgoing(request, authority), request.upgrade, events)

const isGrpc = ({ headers, hasTrailers, body }: Request): boolean =>
  (hasTrailers || body.lengthBytes !== 0) &&
  (headers.get('content-type')?.startsWith('application/grpc') ?? false)
