import type { GuardRejection } from '../../../model/llm-guards.ts'
import { type JsonObject, jsonObjectIn } from '../../../protocols/json/json-object.ts'
import { repeatsNames } from '../../../protocols/json/repeats-names.ts'
import type { Answer } from '../../../upstream/ask.ts'
import { type GuardedText, GuardFailure, type GuardPhase, type GuardVerdict } from '../guard.ts'

/** What a webhook was asked about. */
export interface AskedAbout {
  readonly phase: GuardPhase
  readonly texts: readonly GuardedText[]
  /** What a rejection changes in its head, as configured. */
  readonly rejectionHeaders: GuardRejection['headers']
}

/**
 * What the answer of a webhook means. Only what says exactly one thing is a verdict: a guard must not let pass what it
 * did not say may pass.
 *
 * @throws GuardFailure for everything else, with the reason that the answer gives, if it gives one.
 */
export const verdictOf = (answer: Answer, about: AskedAbout): GuardVerdict => {
  const { status } = answer
  const text = textIn(answer.body)
  const said = text === undefined ? undefined : jsonIn(text)
  const action = jsonObjectIn(jsonObjectIn(said)?.action)
  const reason = typeof action?.reason === 'string' ? printable(action.reason) : undefined
  const fail = (what: string): never => {
    throw new GuardFailure(reason === undefined ? what : `${what}: ${reason}`)
  }
  if (status < 200 || status > 299) return fail(`answered with status ${status}`)
  if (said === undefined) return fail('answered with something else than JSON')
  if (!action) return fail('answered without an action')
  // It says two things, and who reads the last one does not see the first.
  if (text !== undefined && repeatsNames(text)) return fail('answered with two members of one name')
  if (action.reason !== undefined && action.reason !== null && reason === undefined)
    return fail('answered with a reason that is no text')
  const body = typeof action.body === 'string' ? action.body : jsonObjectIn(action.body)
  if (typeof body === 'string')
    return { action: 'reject', rejection: rejectionOf(body, action.status_code, about, fail), reason }
  if (body) return { action: 'mask', texts: maskedIn(body, about, fail), reason }
  const isPass = Object.keys(action).every((member) => member === 'reason')
  return isPass ? undefined : fail('answered with an action of unknown shape')
}

type Fail = (what: string) => never

const textIn = (bytes: Buffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

const jsonIn = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As many texts as were shown, said by the same roles. */
const maskedIn = (body: JsonObject, { phase, texts }: AskedAbout, fail: Fail): readonly string[] => {
  const list = phase === 'request' ? body.messages : body.choices
  if (!Array.isArray(list))
    return fail(`answered with a body without ${phase === 'request' ? 'messages' : 'choices'}`)
  if (list.length !== texts.length)
    return fail(`answered with ${list.length} texts where ${texts.length} were shown`)
  return list.map((one: unknown, i) => {
    const message = phase === 'request' ? jsonObjectIn(one) : jsonObjectIn(jsonObjectIn(one)?.message)
    if (typeof message?.content !== 'string') return fail('answered with a message without a text')
    if (message.role !== texts[i]?.role) return fail('answered with messages of other roles')
    return message.content
  })
}

/** Only status and body are the webhook's. No type is told: nobody knows it. */
const rejectionOf = (
  body: string,
  status: unknown,
  { rejectionHeaders: headers }: AskedAbout,
  fail: Fail,
): GuardRejection => {
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return fail('answered with a rejection without a status_code from 200 to 599')
  return { status, body, headers }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Longest reason that is passed on to logs. */
const REASON_LENGTH = 256

const printable = (text: string): string => text.slice(0, REASON_LENGTH).replace(/[\p{Cc}\p{Cf}]+/gu, ' ')
