import { type Observable, of } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../../model/exchange/reply.ts'
import type { Headers } from '../../../model/exchange/headers.ts'
import type { NoMessage } from '../../../protocols/json-rpc/parse.ts'
import { rpcError } from '../../json-rpc-error.ts'

/** Emits the exchange with this reply. */
export const withReply = (x: Exchange, reply: Reply): Observable<Exchange> => {
  x.reply = reply
  return of(x)
}

/** A refusal in plain text, for requests whose JSON-RPC id is unknown. */
export const refuseText = (
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply => deny(status, code, { message: `mcp: ${message}`, reason: 'MCP', ...(headers && { headers }) })

/** 405 for an HTTP method that is not supported. */
export const methodNotAllowed = (allow: string): Reply =>
  refuseText(405, 'mcp_method', 'method not allowed; must be GET, POST, or DELETE', { allow })

/** The refusal of a malformed message: a JSON-RPC error if the message is JSON-RPC apart from forbidden content. */
export const unreadable = ({ error: { code, message }, id, isJsonRpc }: NoMessage): Reply =>
  isJsonRpc
    ? rpcError(deny(400, 'mcp_unreadable', { message, reason: 'MCP' }), JSON.stringify(id), code)
    : refuseText(400, 'mcp_unreadable', `fail to deserialize request body: ${message}`)

/** Checks the headers of a POST; undefined if they are valid. */
export const checkPost = (headers: Headers): Reply | undefined => {
  const accept = headers.get('accept')
  if (!accepts(accept, 'application', 'json') || !accepts(accept, 'text', 'event-stream'))
    return refuseText(
      406,
      'mcp_not_acceptable',
      'client must accept both application/json and text/event-stream',
    )
  if (mediaType(headers.get('content-type')) !== 'application/json')
    return refuseText(415, 'mcp_content_type', 'client must send application/json')
  return undefined
}

/** As {@link checkPost}, for the GET stream. */
export const checkGet = (headers: Headers): Reply | undefined =>
  accepts(headers.get('accept'), 'text', 'event-stream')
    ? undefined
    : refuseText(406, 'mcp_not_acceptable', 'client must accept text/event-stream')

/** Without the header everything is accepted (RFC 9110 §12.5.1). */
const accepts = (accept: string | undefined, type: string, subtype: string): boolean =>
  accept === undefined ||
  accept.split(',').some((range) => {
    const media = mediaType(range)
    return (
      (media === '*/*' || media === `${type}/*` || media === `${type}/${subtype}`) && !refused.test(range)
    )
  })

const refused = /;\s*q=0(?:\.0*)?\s*(?:;|$)/i

const mediaType = (value: string | undefined): string | undefined =>
  value?.split(';', 1)[0]?.trim().toLowerCase()
