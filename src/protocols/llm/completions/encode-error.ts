import type { JsonObject } from '../../json/json-object.ts'
import { encodeSseEvent } from '../../sse/encode.ts'
import type { LlmError } from '../error.ts'

/** Writes an error as OpenAI does (`ErrorObject`): of the kind that it was given, or that goes with its status. */
export const encodeError = ({ status, message, type, code, param }: LlmError): JsonObject => ({
  error: {
    message,
    type: type !== undefined && types.has(type) ? type : typeOfStatus(status),
    param: param ?? null,
    code: code ?? null,
  },
})

/** Writes it into a stream, which is over with it: no `[DONE]` follows. */
export const encodeStreamError = (error: LlmError): string =>
  encodeSseEvent({ data: JSON.stringify(encodeError(error)) })

/** The word of OpenAI's error reference for a status. */
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

/** Words that clients of this format may meet. */
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
