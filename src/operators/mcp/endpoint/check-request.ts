import { deny, type Reply } from '../../../../model/reply.ts'
import type { Headers } from '../../../../model/headers.ts'
import type { ErrorObject } from '../../../../protocols/json-rpc/message.ts'

/** A refusal in plain text: nothing is known of a request that could be answered in its own terms. */
export const refuseText = (
  status: number,
  code: string,
  message: string,
  headers?: Readonly<Record<string, string>>,
): Reply => deny(status, code, { message: `mcp: ${message}`, reason: 'MCP', ...(headers && { headers }) })

/** The refusal of what is no message. */
export const unreadable = ({ message }: ErrorObject): Reply =>
  refuseText(400, 'mcp_unreadable', `fail to deserialize request body: ${message}`)

/** What is wrong with how a message is sent; undefined if nothing is. */
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

/** As {@link checkPost}, for the stream of what belongs to no request. */
export const checkGet = (headers: Headers): Reply | undefined =>
  accepts(headers.get('accept'), 'text', 'event-stream')
    ? undefined
    : refuseText(406, 'mcp_not_acceptable', 'client must accept text/event-stream')

/** Without the field everything is accepted (RFC 9110 §12.5.1). */
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
