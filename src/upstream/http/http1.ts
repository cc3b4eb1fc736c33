import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from './call.ts'
import type { Endpoint } from './endpoint.ts'
import { forwarded, heedProxy } from './forward.ts'
import { callHttp } from './http.ts'
import { callNodeHttp } from './node-http.ts'

/**
 * Sends a request over HTTP/1.1 to an endpoint, or to the proxy that passes it on.
 *
 * @param hasTrailers Whether trailers may come after its body.
 */
export const callHttp1 = (
  endpoint: Endpoint,
  request: UpstreamRequest,
  events: UpstreamEvents,
  hasTrailers = false,
): UpstreamCall => {
  const { forwarder } = endpoint
  const sent = forwarder ? forwarded(request, endpoint.name, forwarder.authorization) : request
  const told = forwarder ? heedProxy(events, () => call.abort()) : events
  // `OPTIONS *` has no path, and undici knows paths only.
  const call =
    hasTrailers || request.target === '*'
      ? callNodeHttp(endpoint.agent, sent, told)
      : callHttp(endpoint.pool, sent, told)
  return call
}
