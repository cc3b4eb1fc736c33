import type { UpstreamCall, UpstreamEvents, UpstreamRequest } from '../call.ts'
import type { Endpoint } from '../load-balancing/endpoint.ts'
import { toAbsoluteForm, failOnProxyAuth } from './absolute-form.ts'
import { callHttp } from './http1-pooled.ts'
import { callNodeHttp } from './http1-node.ts'

/**
 * Sends a request over HTTP/1.1 to an endpoint, or to the forward proxy in front of it.
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
  const sent = forwarder ? toAbsoluteForm(request, endpoint.name, forwarder.authorization) : request
  const handlers = forwarder ? failOnProxyAuth(events, () => call.abort()) : events
  // `OPTIONS *` has no path, and undici supports only paths.
  const call =
    hasTrailers || request.target === '*'
      ? callNodeHttp(endpoint.agent, sent, handlers)
      : callHttp(endpoint.pool, sent, handlers)
  return call
}
