import type { IncomingMessage } from 'node:http'
import {
  replyQuoting,
  replyText,
  type AdminCall,
  type AdminEndpoint,
  type EndpointResponse,
} from '../endpoint.ts'
import { wrongParameter } from '../parameters.ts'
import type { RequestUrl } from './request-target.ts'
import { beginWork } from '../../model/introspection/active-work.ts'

/** A request to an endpoint, from a server or a route. */
export interface EndpointRequest {
  readonly req: Pick<IncomingMessage, 'method' | 'headers'>
  readonly target: Pick<RequestUrl, 'pathname' | 'searchParams'>
  /** Announced length of the body. */
  readonly lengthBytes: number | undefined
  /** Reads the body, at most {@link maxBodyBytes}, and calls `go`; at once and without a body if `isTaken` is false. */
  readonly receive: (isTaken: boolean, go: (body: Buffer) => void) => void
}

/** Maximum length of a body. */
export const maxBodyBytes = 64 * 1024

/**
 * Dispatches requests to endpoints. Unknown paths get 404, wrong methods 405 with `Allow`, wrong parameters 400 with the
 * valid ones.
 *
 * @param onError Called with the error of an endpoint; the client gets only `internal error`.
 */
export const dispatcher = (
  endpoints: readonly AdminEndpoint[],
  onError: (error: unknown, path: string) => void,
): ((request: EndpointRequest, res: EndpointResponse) => void) => {
  const table = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  return ({ req, target, lengthBytes = 0, receive }, res) => {
    const endpoint = table.get(target.pathname)
    const wrong = endpoint && wrongQuery(endpoint, target.searchParams)
    if (!endpoint) sendEmpty(res, 404)
    else if (!accepts(endpoint, req.method ?? '')) sendEmpty(res, 405, { allow: endpoint.methods.join(', ') })
    else if (wrong !== undefined) replyQuoting(res, 400, `${wrong}\n${endpoint.usage ?? ''}`)
    else if (lengthBytes > maxBodyBytes) adminReplyTooLarge(res)
    else
      receive(endpoint.takesBody ?? false, (body) => {
        void run(endpoint, { req, res, query: target.searchParams, body }, onError)
      })
  }
}

/** Replies to a request whose body exceeds the limit. */
export const adminReplyTooLarge = (res: EndpointResponse): void => {
  replyText(res, 413, `body too large: at most ${maxBodyBytes} bytes\n`)
}

const run = async (
  endpoint: AdminEndpoint,
  call: AdminCall,
  onError: (error: unknown, path: string) => void,
): Promise<void> => {
  const end = beginWork('admin call', `${call.req.method ?? ''} ${endpoint.path}`)
  call.res.once('close', end)
  try {
    await endpoint.handle(call)
  } catch (error) {
    onError(error, endpoint.path)
    if (call.res.headersSent) call.res.destroy()
    else replyText(call.res, 500, 'internal error\n')
  }
}

const wrongQuery = ({ parameters = [] }: AdminEndpoint, query: URLSearchParams): string | undefined =>
  parameters === 'ignored' ? undefined : wrongParameter(query, parameters)

const accepts = ({ methods }: AdminEndpoint, method: string): boolean =>
  methods.length === 0 || methods.includes(method)

const sendEmpty = (res: EndpointResponse, status: number, headers: Record<string, string> = {}): void => {
  res.writeHead(status, { 'content-length': 0, ...headers })
  res.end()
}
