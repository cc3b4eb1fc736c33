import { BufferBody } from '../../model/body.ts'
import { Headers } from '../../model/headers.ts'
import type { GuardRejection } from '../../model/llm-guards.ts'
import { deny, Reply } from '../../model/reply.ts'
import type { GuardPhase } from './guard.ts'

/** What a client gets in place of an answer when a guard rejects: exactly what it was told to say, in no dialect. */
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

/** What a client gets when a guard that does not open has no verdict. */
export const guardFailed = (phase: GuardPhase): Reply =>
  deny(503, 'guardrail_failed', {
    message: `failed to process LLM ${phase}: prompt guard failed`,
    reason: 'Guardrail',
  })

const isJson = (text: string): boolean => {
  if (!/^\s*[{[]/.test(text)) return false
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
