import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'

/** Whether a reply can answer its request: with a status that is final, or with a tunnel that was asked for. */
export const isFinalResponse = (reply: Reply, { request }: Exchange): boolean =>
  reply.tunnel ? request.upgrade !== undefined || request.method === 'CONNECT' : reply.status >= 200

/** The length that a head may announce: where trailers follow, none does. */
export const announcedLength = ({ knownTrailers, lengthBytes }: Body): number | undefined =>
  knownTrailers?.length ? undefined : lengthBytes

/** Makes the head of a reply tell the truth about its body. True if there will be no body at all. */
export const frame = (reply: Reply, x: Exchange): boolean => {
  const { headers, body, status } = reply
  if (status === 204) {
    headers.delete('content-length')
    return true
  }
  const length = announcedLength(body)
  // Answers to HEAD and 304 have the length of a body that does not come, as the upstream said it.
  if (x.request.method === 'HEAD' || status === 304) {
    if (reply.reason !== 'Upstream' && length) headers.set('content-length', String(length))
    return true
  }
  if (length === undefined) headers.delete('content-length')
  else {
    const text = String(length)
    if (headers.get('content-length') !== text) headers.set('content-length', text)
  }
  return false
}

/**
 * The reply in place of one that is no answer, or whose status or fields no protocol can write: whoever gave it is
 * broken. Lets go of what it held.
 */
export const unwritable = (reply: Reply): Reply => {
  reply.body.drop()
  reply.tunnel?.destroy()
  return reply.reason === 'Upstream'
    ? deny(502, 'upstream_malformed', {
        message: 'upstream call failed: malformed answer',
        reason: 'UpstreamFailure',
      })
    : deny(500, 'malformed_reply', { message: 'internal error' })
}
