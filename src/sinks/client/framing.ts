import type { Body } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'

/** Whether a reply is final: its status is, or it opens a tunnel that the request asked for. */
export const isFinalResponse = (reply: Reply, { request }: Exchange): boolean =>
  reply.tunnel ? request.upgrade !== undefined || request.method === 'CONNECT' : reply.status >= 200

/** The content length to announce: none if trailers follow. */
export const announcedLength = ({ knownTrailers, lengthBytes }: Body): number | undefined =>
  knownTrailers?.length ? undefined : lengthBytes

/** Makes the framing fields of a reply match its body. Returns true if no body is sent. */
export const frame = (reply: Reply, x: Exchange): boolean => {
  const { headers, body, status } = reply
  if (status === 204) {
    headers.delete('content-length')
    return true
  }
  const length = announcedLength(body)
  // Replies to HEAD and 304 keep the length that the upstream sent, without a body.
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
 * Replaces a reply that is not final, or whose status or fields no protocol can write: its source is broken. Releases
 * the body and the tunnel.
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
