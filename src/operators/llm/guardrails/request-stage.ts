import type { Exchange } from '../../../model/exchange.ts'
import { Reply } from '../../../model/reply.ts'
import { onRequest } from '../../../pipeline/stage.ts'
import type { RequestTextFormat } from '../../../protocols/llm/texts/texts-of.ts'
import type { Guards } from '../../guard/guards.ts'
import { guardDraft } from '../../guard-request/guard-draft.ts'
import type { Answering, Refusal } from './ask.ts'
import type { ClientDraft } from './client-draft.ts'
import { refuseRequest } from './llm-refusal.ts'

/** What guards are to be shown of a request. */
export interface Guarded {
  readonly format: RequestTextFormat
  readonly draft: ClientDraft
}

/** Puts the provider's request in place of the client's, or refuses what cannot be said to it. */
type Finish = () => Pick<Answering, 'adapt'> | Reply

/**
 * Makes the request the provider's: at once, or in the stage `guard-request`, once the guards of its model let it pass.
 * What they reject is rejected, whoever else there is to be asked.
 */
export const guardedFirst = (
  x: Exchange,
  guards: Guards | undefined,
  { format, draft }: Guarded,
  finish: Finish,
): Answering | Reply => {
  if (!guards?.request.length) return finish()
  let refusal: Refusal | undefined
  let made: Pick<Answering, 'adapt'> | undefined
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
      const verdict = guardDraft(x, draft.text, format, guards)
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

/** What nobody reads cannot be guarded: it does not get past guards by being unreadable. */
export const guardedUnseen = (): Reply =>
  refuseRequest(403, 'guarded_model', 'the model is guarded, and takes only requests that guards can read')

/** Whether streams may only pass with the leave of guards. */
export const mustSeeStreams = ({ response, streaming }: Guards): boolean =>
  response.length > 0 && streaming.mode !== 'Disabled'

/** The frames of AWS carry checksums over what a guard might have to change. */
export const unguardableStream = (): Reply =>
  refuseRequest(403, 'guarded_model', 'the model is guarded, and gives streams of Converse events to nobody')
