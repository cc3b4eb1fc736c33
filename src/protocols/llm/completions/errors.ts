import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'
import { googleErrorTypes } from '../errors/google-error-types.ts'
import { encodeSseEvent } from '../../sse/encode.ts'

/**
 * Decodes an error of a provider. Most send OpenAI's `{"error":{…}}`; Google wraps it in an array and has its own codes
 * in `status`; vLLM omits the `error` wrapper; FastAPI servers have `detail`.
 */
export const decodeError = (status: number, body: unknown): LlmError =>
  errorIn(body, status) ?? { status, message: `the provider answered with status ${status}` }

/** The error in a message that has one in place of a response, with the status that it would have had. */
export const errorInStead = (body: JsonObject): LlmError | undefined => {
  if (body.object === 'error' || (body.error !== undefined && body.error !== null))
    return errorIn(body, undefined)
  return undefined
}

/** The error of an event named `error`, whatever its shape. */
export const announcedError = (body: unknown): LlmError =>
  errorIn(body, undefined) ?? { status: 502, message: 'the stream ended with an error' }

const errorIn = (body: unknown, status: number | undefined): LlmError | undefined => {
  const outer = jsonObjectIn(Array.isArray(body) ? (body as readonly unknown[])[0] : body)
  if (!outer) return undefined
  if (typeof outer.error === 'string') return decoded({ message: outer.error, type: outer.type }, status)
  return decoded(jsonObjectIn(outer.error) ?? outer, status)
}

const decoded = (error: JsonObject, status: number | undefined): LlmError => {
  const google = typeof error.status === 'string' ? error.status : undefined
  const type = google ? (googleErrorTypes.get(google) ?? 'api_error') : textOf(error.type)
  const code = google ?? textOf(error.code)
  return {
    status: status ?? statusIn(error) ?? statusOf(type, code),
    message: messageIn(error) ?? 'the provider did not say what went wrong',
    ...(type !== undefined && { type }),
    ...(code !== undefined && { code }),
    ...(typeof error.param === 'string' && { param: error.param }),
  }
}

const messageIn = (error: JsonObject): string | undefined => {
  if (textOf(error.message)) return textOf(error.message)
  if (textOf(error.detail)) return textOf(error.detail)
  if (!Array.isArray(error.detail)) return undefined
  return textOf(jsonObjectIn((error.detail as readonly unknown[])[0])?.msg)
}

const statusIn = ({ code, status }: JsonObject): number | undefined =>
  [code, status].find((one): one is number => typeof one === 'number' && one >= 400 && one <= 599)

const statusOf = (type: string | undefined, code: string | undefined): number =>
  statuses.get(type ?? '') ?? statuses.get(code ?? '') ?? 500

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const statuses = new Map([
  ['invalid_request_error', 400],
  ['context_length_exceeded', 400],
  ['authentication_error', 401],
  ['permission_error', 403],
  ['not_found_error', 404],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['insufficient_quota', 429],
  ['requests', 429],
  ['tokens', 429],
  ['overloaded_error', 503],
])

/** Writes an error as OpenAI does (`ErrorObject`): with its own type, or with the one of its status. */
export const encodeError = ({ status, message, type, code, param }: LlmError): JsonObject => ({
  error: {
    message,
    type: type !== undefined && types.has(type) ? type : typeOfStatus(status),
    param: param ?? null,
    code: code ?? null,
  },
})

/** Writes an error into a stream and ends it: no `[DONE]` follows. */
export const encodeStreamError = (error: LlmError): string =>
  encodeSseEvent({ data: JSON.stringify(encodeError(error)) })

/** The type of a status in OpenAI's error reference. */
const typeOfStatus = (status: number): string => {
  if (status >= 500) return 'api_error'
  return typesOfStatus.get(status) ?? 'invalid_request_error'
}

const typesOfStatus = new Map([
  [401, 'authentication_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [429, 'rate_limit_error'],
])

/** Types that clients of this format expect. */
const types = new Set([
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'rate_limit_error',
  'insufficient_quota',
  'requests',
  'tokens',
  'server_error',
  'api_error',
  'guardrail_blocked',
])
