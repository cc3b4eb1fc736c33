import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import type { EditableObject } from '../../../protocols/json/editable-object.ts'
import { repeatsNames } from '../../../protocols/json/duplicate-keys.ts'
import { textNameProblem } from '../../../protocols/llm/members/read-members.ts'
import { requestTexts, type RequestTextFormat } from '../../../protocols/llm/texts/extract-texts.ts'
import type { Guards } from './guard.ts'
import { guardFailed, rejected } from './rejection.ts'
import { type GuardOutcome, runGuards } from './run-guards.ts'
import { refuseRequest } from '../refusals.ts'

/**
 * Checks a request with the guards of its model, and writes the masked texts back. Fields that no guard masked keep
 * their bytes.
 *
 * @param draft The body in the client's format.
 * @returns The refusal, or undefined if the request may be sent. A promise only if a guard works asynchronously.
 */
export const guardRequest = (
  x: Exchange,
  draft: EditableObject,
  format: RequestTextFormat,
  { request: guards, onGuardEnd }: Guards,
): Reply | undefined | Promise<Reply | undefined> => {
  const written = draft.toBuffer().toString('utf8')
  // With duplicate names the guards would check one value, and the model might read the other.
  if (repeatsNames(written))
    return refuseRequest(400, 'ambiguous_request', 'an object of the request has two members of one name')
  const json = JSON.parse(written) as JsonObject
  const misnamed = textNameProblem(json)
  if (misnamed !== undefined) return refuseRequest(400, 'ambiguous_request', misnamed)
  const slots = requestTexts(format, json)
  if (slots.length === 0) return undefined
  const kept = guards.map((guard) => guard.keep?.(x))
  const outcome = runGuards(slots, { x, phase: 'request', guards, kept, onGuardEnd })
  const verdict = (guarded: GuardOutcome): Reply | undefined => {
    if (guarded === 'masked') writeMasked(draft, json, written)
    if (guarded === 'masked' || guarded === 'unchanged') return undefined
    return guarded === 'failed' ? guardFailed('request') : rejected(guarded)
  }
  return outcome instanceof Promise ? outcome.then(verdict) : verdict(outcome)
}

const writeMasked = (draft: EditableObject, masked: JsonObject, written: string): void => {
  for (const [name, before] of Object.entries(JSON.parse(written) as JsonObject))
    if (JSON.stringify(before) !== JSON.stringify(masked[name])) draft.set(name, masked[name])
}
