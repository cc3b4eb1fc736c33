import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Reply } from '../../../model/exchange/reply.ts'
import { onRequest } from '../../../pipeline/stage.ts'
import type { RequestTextFormat } from '../../../protocols/llm/texts/extract-texts.ts'
import type { Guards } from './guard.ts'
import { guardRequest } from './guard-request.ts'
import type { PreparedCall, GuardRefusal } from '../routing/provider-call.ts'
import type { ClientDraft } from '../provider-request/mutated-request.ts'
import { refuseRequest } from '../refusals.ts'

/** What guards check of a request. */
export interface GuardedRequest {
  readonly format: RequestTextFormat
  readonly draft: ClientDraft
}

/** Replaces the client's request with the provider's, or refuses what cannot be converted. */
type Finish = () => Pick<PreparedCall, 'adapt'> | Reply

/**
 * Converts the request for the provider: at once, or in the stage `guard-request` after the guards of its model. A
 * rejection is final: no other provider is tried.
 */
export const withRequestGuards = (
  x: Exchange,
  guards: Guards | undefined,
  { format, draft }: GuardedRequest,
  finish: Finish,
): PreparedCall | Reply => {
  if (!guards?.request.length) return finish()
  let refusal: GuardRefusal | undefined
  let made: Pick<PreparedCall, 'adapt'> | undefined
  const refuse = (reply: Reply, isFinal: boolean): Reply => {
    refusal = { reply, isFinal }
    return reply
  }
  const stage = (sent: () => void) => {
    const go = (rejection: Reply | undefined): Reply | undefined => {
      if (rejection) return refuse(rejection, true)
      const finished = finish()
      if (finished instanceof Reply) return refuse(finished, false)
      made = finished
      sent()
      return undefined
    }
    return onRequest('guard-request', () => {
      const verdict = guardRequest(x, draft.text, format, guards)
      return verdict instanceof Promise ? verdict.then(go) : go(verdict)
    })
  }
  return {
    first: {
      stage,
      get refusal() {
        return refusal
      },
    },
    adapt: (reply, watch) => made?.adapt(reply, watch) ?? reply,
  }
}

/** The refusal of a request that guards cannot read: unreadable requests must not bypass them. */
export const refuseUnreadable = (): Reply =>
  refuseRequest(403, 'guarded_model', 'the model is guarded, and takes only requests that guards can read')

/** Whether guards must check streams. */
export const guardsStreams = ({ response, streaming }: Guards): boolean =>
  response.length > 0 && streaming.mode !== 'Disabled'

/** The refusal of a stream in AWS frames: their checksums cover what a guard might change. */
export const refuseUnguardableStream = (): Reply =>
  refuseRequest(403, 'guarded_model', 'the model is guarded, and gives streams of Converse events to nobody')
