import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { JsonObject } from '../../protocols/json/json-object.ts'
import type { MemberText } from '../../protocols/json/member-text.ts'
import { repeatsNames } from '../../protocols/json/repeats-names.ts'
import { requestTexts, type RequestTextFormat } from '../../protocols/llm/texts/texts-of.ts'
import type { Guards } from '../guard/guards.ts'
import { guardFailed, rejected } from '../guard/rejected.ts'
import { type Guarded, runGuards } from '../guard/run-guards.ts'
import { refuseRequest } from '../backend/llm/llm-refusal.ts'

/**
 * Shows the guards of a model what it is about to be asked, and puts what they masked into the request. Of fields that
 * nobody masked every byte stays.
 *
 * @param draft The body in the client's format.
 * @returns What the client gets instead; nothing if the request may go on. A promise only if a guard had to be waited for.
 */
export const guardDraft = (
  x: Exchange,
  draft: MemberText,
  format: RequestTextFormat,
  { request: guards, settle }: Guards,
): Reply | undefined | Promise<Reply | undefined> => {
  const written = draft.toBuffer().toString('utf8')
  // The guards would be shown the one, and the model might read the other.
  if (repeatsNames(written))
    return refuseRequest(400, 'ambiguous_request', 'an object of the request has two members of one name')
  const json = JSON.parse(written) as JsonObject
  const slots = requestTexts(format, json)
  if (slots.length === 0) return undefined
  const kept = guards.map((guard) => guard.keep?.(x))
  const outcome = runGuards(slots, { x, phase: 'request', guards, kept, settle })
  const verdict = (guarded: Guarded): Reply | undefined => {
    if (guarded === 'masked') putMasked(draft, json, written)
    if (guarded === 'masked' || guarded === 'unchanged') return undefined
    return guarded === 'failed' ? guardFailed('request') : rejected(guarded)
  }
  return outcome instanceof Promise ? outcome.then(verdict) : verdict(outcome)
}

const putMasked = (draft: MemberText, masked: JsonObject, written: string): void => {
  for (const [name, before] of Object.entries(JSON.parse(written) as JsonObject))
    if (JSON.stringify(before) !== JSON.stringify(masked[name])) draft.set(name, masked[name])
}
