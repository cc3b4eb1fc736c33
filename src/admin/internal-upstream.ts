import { emptyBody } from '../model/exchange/body.ts'
import { Fault } from '../model/exchange/fault.ts'
import type { BackendLabels } from '../model/resources/snapshot.ts'
import { requestBodyBroken } from '../upstream/faults.ts'
import type { HttpUpstream } from '../upstream/upstream.ts'
import { adminReplyTooLarge, dispatcher, maxBodyBytes } from './server/dispatch.ts'
import { replyText, type AdminEndpoint } from './endpoint.ts'
import { InternalCall } from './internal-call.ts'
import { requestUrlOf } from './server/request-target.ts'

/**
 * The admin endpoints as a backend of routes, without a connection. The policies of the route decide who may call them;
 * `Host` and `Origin` are not checked here.
 *
 * @param onError Called with the error of an endpoint.
 */
export const internalUpstreams = (
  endpoints: readonly AdminEndpoint[],
  onError: (error: unknown, path: string) => void,
): ((labels: BackendLabels) => HttpUpstream) => {
  const dispatch = dispatcher(endpoints.map(forRoutes), onError)
  return (labels) => ({
    labels,
    call: (x, events) => {
      const { method, headers, target, body } = x.request
      const call = new InternalCall(events, method === 'HEAD')
      x.upstream.endpoint = 'internal'
      x.probe?.snapshot('final request')
      x.probe?.record({ type: 'backendCallStart', target: 'internal' })
      const receive = (isTaken: boolean, go: (bytes: Buffer) => void): void => {
        ;(isTaken ? body : emptyBody).read(maxBodyBytes).then(go, (fault: unknown) => {
          const isTooLarge = fault instanceof Fault && fault.code === 'body_too_large'
          if (isTooLarge) adminReplyTooLarge(call.response)
          else call.fail(requestBodyBroken(fault))
        })
      }
      const req = { method, headers: { accept: headers.get('accept') } }
      dispatch({ req, target: requestUrlOf(target), lengthBytes: body.lengthBytes, receive }, call.response)
      return call
    },
  })
}

/** Endpoints that stop the gateway are only reachable at the server's own address. */
const forRoutes = (endpoint: AdminEndpoint): AdminEndpoint =>
  endpoint.isForServerOnly
    ? {
        ...endpoint,
        methods: [],
        parameters: 'ignored',
        takesBody: false,
        handle: ({ res }) => {
          replyText(res, 403, 'not through a route: the address of the admin server answers this\n')
        },
      }
    : endpoint
