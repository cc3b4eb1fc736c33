import { BufferBody } from '../../../model/exchange/body.ts'
import { Headers } from '../../../model/exchange/headers.ts'
import { deny, Reply } from '../../../model/exchange/reply.ts'
import type { GuardPhase } from './guard.ts'
import type { GuardRejection, TextScope } from './schema/normal-form.ts'

/**
 * The reply to the client if a guard rejects, for guards made in code.
 *
 * @example
 * rejectWith('{"error":"not here"}', 400)
 */
export const rejectWith = (
  body = 'The request was rejected due to inappropriate content',
  status = 403,
): GuardRejection => ({ status, body, headers: { add: [], set: [], remove: [] } })

/** All texts of a conversation, for guards that check everything. */
export const everyScope: ReadonlySet<TextScope> = new Set([
  'systemPrompt',
  'messages',
  'toolOutput',
  'toolInput',
])

/** The reply of a guard that rejects: exactly as configured, not in the client's error format. */
export const rejected = ({ status, body, headers }: GuardRejection): Reply => {
  const bytes = Buffer.from(body)
  const fields = new Headers([
    'content-type',
    isJson(body) ? 'application/json' : 'text/plain; charset=utf-8',
    'content-length',
    String(bytes.length),
  ])
  for (const [name, value] of headers.set) fields.set(name, value)
  for (const [name, value] of headers.add) fields.append(name, value)
  for (const name of headers.remove) fields.delete(name)
  return new Reply(status, fields, new BufferBody(bytes), 'Guardrail', 'guardrail_rejected')
}

/** The reply if a guard that fails closed has no verdict. */
export const guardFailed = (phase: GuardPhase): Reply =>
  deny(503, 'guardrail_failed', {
    message: `failed to process LLM ${phase}: prompt guard failed`,
    reason: 'Guardrail',
  })

/**
 * The reply in place of a provider's error that the guards could not check: it keeps the status and when to retry,
 * and nothing else.
 */
export const uncheckedError = ({ status, headers }: Reply): Reply => {
  const reply = deny(status, 'guardrail_failed', {
    message: 'failed to process LLM response: prompt guard failed',
    reason: 'Guardrail',
  })
  for (const name of ['retry-after', 'retry-after-ms'])
    for (const value of headers.all(name)) reply.headers.append(name, value)
  return reply
}

const isJson = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
