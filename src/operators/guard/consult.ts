import type { Exchange } from '../../model/exchange.ts'
import { Fault } from '../../model/fault.ts'
import { Headers } from '../../model/headers.ts'
import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'
import type { Answer, Ask } from '../../upstream/ask.ts'
import { GuardFailure } from './guard.ts'

/** A service that is asked about texts, in JSON over HTTP. */
export interface ConsultedService {
  /** For the log. */
  readonly name: string
  readonly ask: Ask
  /** For a whole check, of however many questions. */
  readonly timeoutMs: number
}

/** What a check is about. */
export interface Consultation {
  readonly x: Exchange
  readonly signal: AbortSignal
}

/**
 * Asks one thing.
 *
 * Rejects with `GuardFailure` unless a JSON object is the answer, with a status of 2xx.
 *
 * @param target Path and query.
 */
export type Consult = (target: string, body: JsonObject) => Promise<JsonObject>

/**
 * Asks a service for what `work` wants to know. When that is over, questions that are still under way are given up.
 *
 * What a `GuardFailure` says of the failure is for the log, and holds nothing of the texts and the answers: services like
 * to repeat what they were asked.
 */
export const consult = async <T>(
  service: ConsultedService,
  { x, signal }: Consultation,
  work: (ask: Consult) => Promise<T>,
): Promise<T> => {
  const { name, timeoutMs } = service
  const over = new AbortController()
  const deadline = performance.now() + timeoutMs
  const late = Promise.withResolvers<never>()
  // The question's own limit comes first, and is held against the service. This one is for what does not keep to limits.
  const timer = setTimeout(() => {
    late.reject(new GuardFailure(`${name} took too long`))
  }, timeoutMs + GRACE_MS)
  const leave = () => {
    over.abort()
  }
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const ask: Consult = (target, body) =>
    asked(service, { x, signal: over.signal }, deadline, target, Buffer.from(JSON.stringify(body)))
  try {
    return await Promise.race([work(ask), late.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', leave)
    over.abort()
  }
}

const GRACE_MS = 100
/** Longest answer, besides what it repeats of the texts. */
const LIMIT_BYTES = 1_048_576
/** What a byte of text may become when it is written as JSON by somebody else: `\u0000`. */
const LONGEST_ESCAPE = 6

const asked = async (
  { name, ask }: ConsultedService,
  { x, signal }: Consultation,
  deadline: number,
  target: string,
  body: Buffer,
): Promise<JsonObject> => {
  let answer: Answer
  try {
    answer = await ask({
      method: 'POST',
      target,
      headers: new Headers(['content-type', 'application/json', 'accept', 'application/json']),
      body,
      timeoutMs: Math.max(1, deadline - performance.now()),
      limitBytes: LIMIT_BYTES + LONGEST_ESCAPE * body.length,
      about: x,
      signal,
    })
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    throw new GuardFailure(`${name} could not be asked: ${fault.code}`, { cause: fault })
  }
  const { status } = answer
  if (status < 200 || status > 299) throw new GuardFailure(`${name} answered ${status}${errorIn(answer)}`)
  const said = objectIn(answer.body)
  if (!said) throw new GuardFailure(`${name} answered no JSON object`)
  return said
}

/** Its word for the error, where it has one that is a word. */
const errorIn = ({ headers }: Answer): string => {
  const [word = ''] = (headers.get('x-amzn-errortype') ?? headers.get('x-ms-error-code') ?? '').split(':')
  return /^\w{1,64}$/.test(word) ? ` ${word}` : ''
}

const objectIn = (body: Buffer): JsonObject | undefined => {
  try {
    return jsonObjectIn(JSON.parse(body.toString()))
  } catch {
    // What it says of the place would repeat the answer.
    return undefined
  }
}
