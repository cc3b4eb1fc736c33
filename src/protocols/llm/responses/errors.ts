import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'

/**
 * Decodes an error of a provider (`ErrorObject` of the SDK, in `error`). Some providers wrap it in an array, or send a
 * string or only a message instead; proxies in front of them may send no JSON.
 */
export const decodeError = (status: number, body: unknown): LlmError => {
  const wrapped = jsonObjectIn(Array.isArray(body) ? body[0] : body)
  const error = wrapped?.error
  if (typeof error === 'string' && error !== '') return { status, message: error }
  const source = jsonObjectIn(error) ?? wrapped
  const message = textIn(source?.message) ?? textIn(source?.detail)
  if (!source || message === undefined)
    return { status, message: `the provider answered with status ${status}` }
  return {
    status,
    message,
    type: textIn(source.type),
    code: textIn(source.code),
    param: textIn(source.param),
  }
}

/** Encodes an error. The type is the provider's if this format has it, else that of the status. */
export const encodeError = (error: LlmError): JsonObject => ({
  error: {
    message: error.message,
    type: error.type !== undefined && types.has(error.type) ? error.type : typeOf(error.status),
    param: error.param ?? null,
    code: error.code ?? null,
  },
})

/**
 * The status that corresponds to an error in a stream.
 *
 * @param code From `ResponseError` or `ResponseErrorEvent` of the SDK, which have neither type nor status.
 */
export const statusOf = (code: string | undefined, type?: string): number => {
  const known = statuses.get(code ?? '') ?? statuses.get(type ?? '')
  if (known !== undefined) return known
  // Other codes with these words are about the content of the request.
  return code !== undefined && /image|invalid|policy/.test(code) ? 400 : 500
}

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const typeOf = (status: number): string => {
  switch (status) {
    case 401:
      return 'authentication_error'
    case 403:
      return 'permission_error'
    case 404:
      return 'not_found_error'
    case 429:
      return 'rate_limit_error'
    default:
      return status < 500 ? 'invalid_request_error' : 'server_error'
  }
}

const statuses: ReadonlyMap<string, number> = new Map([
  ['authentication_error', 401],
  ['context_length_exceeded', 400],
  ['insufficient_quota', 429],
  ['invalid_api_key', 401],
  ['invalid_request_error', 400],
  ['model_not_found', 404],
  ['not_found_error', 404],
  ['overloaded_error', 503],
  ['permission_error', 403],
  ['rate_limit_error', 429],
  ['rate_limit_exceeded', 429],
  ['server_error', 500],
  ['server_is_overloaded', 503],
  ['slow_down', 503],
  ['too_many_requests', 429],
  ['vector_store_timeout', 504],
])

const types: ReadonlySet<string> = new Set([
  'authentication_error',
  'insufficient_quota',
  'invalid_request_error',
  'not_found_error',
  'permission_error',
  'rate_limit_error',
  'requests',
  'server_error',
  'tokens',
])
