import type { Exchange } from '../../../model/exchange.ts'
import { Headers } from '../../../model/headers.ts'
import type { Reply } from '../../../model/reply.ts'
import type { Guards } from '../../guard/guards.ts'
import { GuardedConversation } from '../../guard-realtime/guarded-conversation.ts'
import { questionExchange } from '../../service/question-exchange.ts'
import type { ReplyLimits } from './reply-limits.ts'
import { guardedUnseen } from './guarded-first.ts'
import { refuseRequest, replyFailed } from './llm-refusal.ts'

/** What a client gets instead of a conversation that the guards of its model could not look at. */
export const unguardableConversation = (
  { request: { upgrade } }: Exchange,
  { request, streaming: { mode } }: Guards,
): Reply | undefined => {
  // Offers for WebRTC begin conversations that do not come by here.
  if (upgrade !== 'websocket') return guardedUnseen()
  if (mode === 'Enabled' || (mode === 'Disabled' && request.length === 0)) return undefined
  return refuseRequest(
    403,
    'guarded_model',
    'the model is guarded, and holds realtime conversations only with `streaming: Enabled` in its guards',
  )
}

/**
 * Puts guards into the conversation that a provider agrees to. Belongs before the request becomes the provider's: guards
 * know the client's only.
 */
export const guardingRealtime = (
  x: Exchange,
  guards: Guards,
  { replyBytes }: ReplyLimits,
): ((reply: Reply) => Reply) => {
  if (guards.streaming.mode === 'Disabled') return (reply) => reply
  const { method, target, authority, headers } = x.request
  const asked = questionExchange(x, { method, target, authority, headers: new Headers(headers.raw.slice()) })
  asked.llm = x.llm
  const kept = guards.response.map((guard) => guard.keep?.(x))
  return (reply) => {
    const { tunnel, status } = reply
    if (tunnel)
      reply.tunnel = new GuardedConversation(tunnel, {
        x,
        asked,
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
