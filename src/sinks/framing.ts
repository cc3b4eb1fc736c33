import type { Exchange } from '../model/exchange.ts'
import { deny, type Reply } from '../model/reply.ts'

/** Makes the head of a reply tell the truth about its body. True if there will be no body at all. */
export const frame = (reply: Reply, x: Exchange): boolean => {
  const { headers, body, status } = reply
  if (status === 204 || status < 200) {
    headers.delete('content-length')
    return true
  }
  const length = body.lengthBytes
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

/** The reply in place of one whose status or fields no protocol can write: whoever gave it is broken. */
export const unwritable = (reply: Reply): Reply =>
  reply.reason === 'Upstream'
    ? deny(502, 'upstream_malformed', {
        message: 'upstream call failed: malformed answer',
        reason: 'UpstreamFailure',
      })
    : deny(500, 'malformed_reply', { message: 'internal error' })
