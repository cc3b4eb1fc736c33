import type { BufferSide } from './schema.ts'
import { onReply, onRequest, type Operator } from '../../pipeline/stage.ts'
import {
  isBodiless,
  isBuffered,
  isLonger,
  setBuffered,
  replyTooLarge,
  requestTooLarge,
} from '../body/buffer-body.ts'
import { readAhead } from '../body/read-prefix.ts'
import { applied, skipped } from '../trace-policy.ts'

/**
 * Buffers the whole body of a request before it is sent on, so that slow clients do not occupy the upstream and the
 * request can be sent again.
 *
 * A longer body is refused with 413; with `failOpen` it is streamed on, and nothing of it is lost.
 */
export const bufferRequest = ({ maxBytes, failureMode }: BufferSide): Operator =>
  onRequest('buffer-request', (x) => {
    const { body } = x.request
    // The limit comes first: a body that is in memory already may exceed it as well.
    if (isLonger(body, maxBytes)) {
      x.probe?.record(skipped('buffer', 'the request body is too large'))
      return failureMode === 'failOpen' ? undefined : requestTooLarge(maxBytes)
    }
    if (isBuffered(body)) return undefined
    return readAhead(body, maxBytes).then((ahead) => {
      if ('whole' in ahead) {
        setBuffered(x.request, ahead.whole)
        x.probe?.record(applied('buffer', `buffered ${ahead.whole.lengthBytes} bytes of request body`))
        return undefined
      }
      x.probe?.record(skipped('buffer', 'the request body is too large'))
      x.request.body = ahead.longer
      if (failureMode === 'failOpen') return undefined
      ahead.longer.drop()
      return requestTooLarge(maxBytes)
    })
  })

/**
 * Buffers the whole body of a reply before it is sent on, so that the client gets a length, or an error instead of a
 * truncated reply. A longer body becomes 502; with `failOpen` it is streamed on.
 *
 * Event streams are buffered as well: a route with this policy replies when they end.
 */
export const bufferReply = ({ maxBytes, failureMode }: BufferSide): Operator =>
  onReply('buffer-reply', (x) => {
    const { reply } = x
    if (!reply || isBuffered(reply.body) || isBodiless(x, reply)) return undefined
    if (isLonger(reply.body, maxBytes)) {
      x.probe?.record(skipped('buffer', 'the response body is too large'))
      if (failureMode === 'failOpen') return undefined
      reply.body.drop()
      return replyTooLarge(maxBytes)
    }
    return readAhead(reply.body, maxBytes).then((ahead) => {
      if ('whole' in ahead) {
        setBuffered(reply, ahead.whole)
        x.probe?.record(applied('buffer', `buffered ${ahead.whole.lengthBytes} bytes of response body`))
        return undefined
      }
      x.probe?.record(skipped('buffer', 'the response body is too large'))
      reply.body = ahead.longer
      if (failureMode === 'failOpen') return undefined
      ahead.longer.drop()
      return replyTooLarge(maxBytes)
    })
  })
