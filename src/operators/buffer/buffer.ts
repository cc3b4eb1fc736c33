import type { BufferSide } from '../model/buffer.ts'
import { onReply, onRequest, type Operator } from '../pipeline/stage.ts'
import { isBodiless, isHeld, isLonger, putHeld, replyTooLarge, requestTooLarge } from './body/hold.ts'
import { readAhead } from './body/read-ahead.ts'
import { applied, skipped } from './policy-note.ts'

/**
 * Holds a request back until all of its body is in memory, so that slow clients cost the upstream nothing and the
 * request can be sent again.
 *
 * A longer body is refused with 413; with `failOpen` it streams on from where it stands, and nothing of it is lost.
 */
export const bufferRequest = ({ maxBytes, failureMode }: BufferSide): Operator =>
  onRequest('buffer-request', (x) => {
    const { body } = x.request
    // First the limit: a body that came in memory already may be too long all the same.
    if (isLonger(body, maxBytes)) {
      x.probe?.note(skipped('buffer', 'the request body is too large'))
      return failureMode === 'failOpen' ? undefined : requestTooLarge(maxBytes)
    }
    if (isHeld(body)) return undefined
    return readAhead(body, maxBytes).then((ahead) => {
      if ('whole' in ahead) {
        putHeld(x.request, ahead.whole)
        x.probe?.note(applied('buffer', `buffered ${ahead.whole.lengthBytes} bytes of request body`))
        return undefined
      }
      x.probe?.note(skipped('buffer', 'the request body is too large'))
      x.request.body = ahead.longer
      if (failureMode === 'failOpen') return undefined
      ahead.longer.drop()
      return requestTooLarge(maxBytes)
    })
  })

/**
 * Holds a reply back until all of its body is in memory, so that the client gets a length, or an error instead of half
 * an answer. A longer body becomes 502; with `failOpen` it streams on.
 *
 * Event streams end here as well: a route with this policy answers when they end.
 */
export const bufferReply = ({ maxBytes, failureMode }: BufferSide): Operator =>
  onReply('buffer-reply', (x) => {
    const { reply } = x
    if (!reply || isHeld(reply.body) || isBodiless(x, reply)) return undefined
    if (isLonger(reply.body, maxBytes)) {
      x.probe?.note(skipped('buffer', 'the response body is too large'))
      if (failureMode === 'failOpen') return undefined
      reply.body.drop()
      return replyTooLarge(maxBytes)
    }
    return readAhead(reply.body, maxBytes).then((ahead) => {
      if ('whole' in ahead) {
        putHeld(reply, ahead.whole)
        x.probe?.note(applied('buffer', `buffered ${ahead.whole.lengthBytes} bytes of response body`))
        return undefined
      }
      x.probe?.note(skipped('buffer', 'the response body is too large'))
      reply.body = ahead.longer
      if (failureMode === 'failOpen') return undefined
      ahead.longer.drop()
      return replyTooLarge(maxBytes)
    })
  })
