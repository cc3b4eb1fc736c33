import type { Exchange } from '../../../../model/exchange/exchange.ts'
import { Fault } from '../../../../model/exchange/fault.ts'
import { Headers } from '../../../../model/exchange/headers.ts'
import { type JsonObject, jsonObjectIn } from '../../../../protocols/json/json-object.ts'
import type { CalloutResponse, HttpCallout } from '../../../../upstream/http-callout.ts'
import { GuardFailure } from '../guard.ts'

/** A service that checks texts, with JSON over HTTP. */
export interface GuardService {
  /** For the log. */
  readonly name: string
  readonly callout: HttpCallout
  /** Of a whole check, however many callouts it needs. */
  readonly timeoutMs: number
}

/** The exchange of a check. */
export interface CheckContext {
  readonly x: Exchange
  readonly signal: AbortSignal
}

/**
 * Sends one callout.
 *
 * Rejects with `GuardFailure` unless the response is a JSON object with a status of 2xx.
 *
 * @param target Path and query.
 */
export type CallService = (target: string, body: JsonObject) => Promise<JsonObject>

/**
 * Runs the callouts of a check. Callouts still pending at its end are cancelled.
 *
 * The message of a `GuardFailure` is for the log, and has nothing of the texts and the responses: services often
 * repeat what they were sent.
 */
export const withService = async <T>(
  service: GuardService,
  { x, signal }: CheckContext,
  work: (call: CallService) => Promise<T>,
): Promise<T> => {
  const { name, timeoutMs } = service
  const cancellation = new AbortController()
  const deadline = performance.now() + timeoutMs
  const timeout = Promise.withResolvers<never>()
  // The timeout of the callout itself comes first, and is recorded as a failure of the service. This one covers
  // callouts that do not observe it.
  const timer = setTimeout(() => {
    timeout.reject(new GuardFailure(`${name} took too long`))
  }, timeoutMs + GRACE_MS)
  const cancel = () => {
    cancellation.abort()
  }
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  const call: CallService = (target, body) =>
    callService(
      service,
      { x, signal: cancellation.signal },
      deadline,
      target,
      Buffer.from(JSON.stringify(body)),
    )
  try {
    return await Promise.race([work(call), timeout.promise])
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
    cancellation.abort()
  }
}

const GRACE_MS = 100
/** Longest response, besides the texts that it repeats. */
const LIMIT_BYTES = 1_048_576
/** The longest JSON escape of a byte of text: `\u0000`. */
const LONGEST_ESCAPE = 6

const callService = async (
  { name, callout: call }: GuardService,
  { x, signal }: CheckContext,
  deadline: number,
  target: string,
  body: Buffer,
): Promise<JsonObject> => {
  let response: CalloutResponse
  try {
    response = await call({
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
  const { status } = response
  if (status < 200 || status > 299) throw new GuardFailure(`${name} answered ${status}${errorIn(response)}`)
  const json = objectIn(response.body)
  if (!json) throw new GuardFailure(`${name} answered no JSON object`)
  return json
}

/** The error code of the service, if it is a single word. */
const errorIn = ({ headers }: CalloutResponse): string => {
  const [code = ''] = (headers.get('x-amzn-errortype') ?? headers.get('x-ms-error-code') ?? '').split(':')
  return /^\w{1,64}$/.test(code) ? ` ${code}` : ''
}

const objectIn = (body: Buffer): JsonObject | undefined => {
  try {
    return jsonObjectIn(JSON.parse(body.toString()))
  } catch {
    // The message of the parser would repeat the response.
    return undefined
  }
}
