import type { GuardRejection } from '../schema/normal-form.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import { repeatsNames } from '../../../../protocols/json/duplicate-keys.ts'
import type { CalloutResponse } from '../../../../upstream/http-callout.ts'
import { type GuardedText, GuardFailure, type GuardPhase, type GuardVerdict } from '../guard.ts'

/** What a webhook has checked. */
export interface CheckedPhase {
  readonly phase: GuardPhase
  readonly texts: readonly GuardedText[]
  /** Header changes of a rejection, as configured. */
  readonly rejectionHeaders: GuardRejection['headers']
}

/**
 * The verdict of a webhook's response. Only an unambiguous response is a verdict: a guard must not allow what it did
 * not explicitly allow.
 *
 * @throws GuardFailure for everything else, with the reason in the response, if there is one.
 */
export const verdictOf = (response: CalloutResponse, about: CheckedPhase): GuardVerdict => {
  const { status } = response
  const text = textIn(response.body)
  const json = text === undefined ? undefined : jsonIn(text)
  const action = jsonObjectIn(jsonObjectIn(json)?.action)
  const reason = typeof action?.reason === 'string' ? printable(action.reason) : undefined
  const fail = (what: string): never => {
    throw new GuardFailure(reason === undefined ? what : `${what}: ${reason}`)
  }
  if (status < 200 || status > 299) return fail(`answered with status ${status}`)
  if (json === undefined) return fail('answered with something else than JSON')
  if (!action) return fail('answered without an action')
  // Ambiguous: a parser that takes the last member does not see the first.
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

/** As many texts as were sent, with the same roles. */
const maskedIn = (body: JsonObject, { phase, texts }: CheckedPhase, fail: Fail): readonly string[] => {
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

/** The webhook sets status and body only. The content type is unknown. */
const rejectionOf = (
  body: string,
  status: unknown,
  { rejectionHeaders: headers }: CheckedPhase,
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
