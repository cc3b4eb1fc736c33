import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { Guards } from './guard.ts'
import { GuardedSession } from './realtime/guarded-session.ts'
import { calloutExchange } from '../../callout/callout-exchange.ts'
import type { ReplyLimits } from '../reply/provider-reply.ts'
import { refuseUnreadable } from './request-stage.ts'
import { refuseRequest, replyFailed } from '../refusals.ts'

/** The refusal of a realtime session that the guards of its model cannot check. */
export const refuseUnguardableSession = (
  { request: { upgrade } }: Exchange,
  { request, streaming: { mode } }: Guards,
): Reply | undefined => {
  // WebRTC offers start sessions that bypass the gateway.
  if (upgrade !== 'websocket') return refuseUnreadable()
  if (mode === 'Enabled' || (mode === 'Disabled' && request.length === 0)) return undefined
  return refuseRequest(
    403,
    'guarded_model',
    'the model is guarded, and holds realtime conversations only with `streaming: Enabled` in its guards',
  )
}

/**
 * Puts guards into the session that a provider accepts. Call it before the request is converted for the provider:
 * guards need the client's request.
 */
export const guardRealtime = (
  x: Exchange,
  guards: Guards,
  { replyBytes }: ReplyLimits,
): ((reply: Reply) => Reply) => {
  if (guards.streaming.mode === 'Disabled') return (reply) => reply
  const { method, target, authority, headers } = x.request
  const clientExchange = calloutExchange(x, {
    method,
    target,
    authority,
    headers: new Headers(headers.raw.slice()),
  })
  clientExchange.protocol.llm = x.protocol.llm
  const kept = guards.response.map((guard) => guard.keep?.(x))
  return (reply) => {
    const { tunnel, status } = reply
    if (tunnel)
      reply.tunnel = new GuardedSession(tunnel, {
        x,
        clientExchange,
        reply,
        guards,
        kept,
        limitBytes: replyBytes,
      })
    else if (status < 400) {
      reply.body.drop()
      return replyFailed('invalid_reply', 'the provider holds no conversation')
    }
    return reply
  }
}
