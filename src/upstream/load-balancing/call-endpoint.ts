import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import type { Endpoint } from './endpoint.ts'
import { callHttp1 } from '../http/http1.ts'
import { callHttp2 } from '../http/http2.ts'

/** Sends a request of the gateway itself to an endpoint, in the endpoint's HTTP version. */
export const callEndpoint = (
  endpoint: Endpoint,
  request: UpstreamRequest,
  events: UpstreamEvents,
): UpstreamCall => {
  const { protocol, tls } = endpoint.options
  if (protocol === 'http1' || protocol === 'auto') return callHttp1(endpoint, request, events)
  return callHttp2(
    endpoint.http2,
    request,
    tls ? 'https' : 'http',
    events,
    protocol === 'negotiated' ? () => callHttp1(endpoint, request, events) : undefined,
  )
}
