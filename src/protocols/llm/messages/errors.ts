import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { encodeSseEvent } from '../../sse/encode.ts'
import type { LlmError } from '../errors/error.ts'

/**
 * Decodes an error of a provider (Anthropic Messages API, `ErrorResponse`), and as much as possible of similar formats.
 *
 * @param status Undefined in a stream: then the type of the error determines it.
 */
export const decodeError = (status: number | undefined, body: unknown): LlmError => {
  // Gateways in between may wrap the error in a list or replace it with a string.
  const outer = jsonObjectIn(Array.isArray(body) ? body[0] : body)
  const error = jsonObjectIn(outer?.error) ?? outer
  const message = error?.message ?? outer?.error
  const type = error?.type
  const code = jsonObjectIn(error?.details)?.error_code
  const typed = typeof type === 'string' && type !== 'error' ? type : undefined
  const known = status ?? (typed === undefined ? undefined : statuses.get(typed)) ?? 500
  return {
    status: known,
    message:
      typeof message === 'string' && message !== '' ? message : `the provider answered with status ${known}`,
    ...(typed !== undefined && { type: typed }),
    ...(typeof code === 'string' && { code }),
  }
}

/** Encodes an error as the body of a reply. The status determines its type, since types differ between formats. */
export const encodeError = ({ status, message }: LlmError): JsonObject => ({
  type: 'error',
  error: { type: errorType(status), message },
})

/** Encodes an error as the last event of a stream. */
export const encodeStreamError = (error: LlmError): string =>
  encodeSseEvent({ event: 'error', data: JSON.stringify(encodeError(error)) })

const errorType = (status: number): string =>
  types.get(status) ?? (status >= 400 && status < 500 ? 'invalid_request_error' : 'api_error')

/** Types of errors by status, from Anthropic's error reference. */
const types = new Map([
  [400, 'invalid_request_error'],
  [401, 'authentication_error'],
  [402, 'billing_error'],
  [403, 'permission_error'],
  [404, 'not_found_error'],
  [408, 'timeout_error'],
  [409, 'conflict_error'],
  [413, 'request_too_large'],
  [429, 'rate_limit_error'],
  [500, 'api_error'],
  [503, 'overloaded_error'],
  [504, 'timeout_error'],
  [529, 'overloaded_error'],
])

/** Statuses by type. If a type has two, the one in the reference. */
const statuses = new Map([
  ...[...types].map(([status, type]) => [type, status] as const),
  ['timeout_error', 504],
  ['overloaded_error', 529],
])
