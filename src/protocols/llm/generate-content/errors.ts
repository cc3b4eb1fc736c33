import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'
import { googleErrorTypes } from '../errors/google-error-types.ts'

/** Decodes an error of Google (`google.rpc.Status` as JSON), which some endpoints wrap in a list. */
export const decodeError = (status: number, body: unknown): LlmError => {
  const error = errorIn(body)
  const word = typeof error?.status === 'string' ? error.status : undefined
  const message = typeof error?.message === 'string' && error.message !== '' ? error.message : undefined
  return {
    status,
    message: message ?? `the provider answered with status ${status}`,
    type: error
      ? ((word === undefined ? undefined : googleErrorTypes.get(word)) ?? typeOf(status))
      : undefined,
    code: word,
  }
}

/** The error in an event of a stream with status 200; undefined if there is none. */
export const errorInStream = (body: unknown): LlmError | undefined => {
  const error = errorIn(body)
  if (!error) return undefined
  const code = typeof error.code === 'number' ? error.code : undefined
  const status = code !== undefined && code >= 400 && code < 600 ? code : statuses.get(String(error.status))
  return decodeError(status ?? 502, body)
}

/** Encodes an error as Google does. */
export const encodeError = ({ status, message, code }: LlmError): JsonObject => ({
  error: { code: status, message, status: code !== undefined && statuses.has(code) ? code : wordOf(status) },
})

/** Encodes an error in a stream. */
export const encodeStreamError = (error: LlmError): string =>
  `data: ${JSON.stringify(encodeError(error))}\n\n`

const errorIn = (body: unknown): JsonObject | undefined => {
  const object = jsonObjectOr(Array.isArray(body) ? body[0] : body)
  return jsonObjectIn(object.error)
}

const typeOf = (status: number): string => googleErrorTypes.get(wordOf(status)) ?? 'api_error'

/** Names of `google.rpc.Code` with their HTTP status. */
const statuses = new Map([
  ['INVALID_ARGUMENT', 400],
  ['FAILED_PRECONDITION', 400],
  ['OUT_OF_RANGE', 400],
  ['UNAUTHENTICATED', 401],
  ['PERMISSION_DENIED', 403],
  ['NOT_FOUND', 404],
  ['ABORTED', 409],
  ['ALREADY_EXISTS', 409],
  ['RESOURCE_EXHAUSTED', 429],
  ['CANCELLED', 499],
  ['INTERNAL', 500],
  ['UNKNOWN', 500],
  ['DATA_LOSS', 500],
  ['UNIMPLEMENTED', 501],
  ['UNAVAILABLE', 503],
  ['DEADLINE_EXCEEDED', 504],
])

const wordOf = (status: number): string => {
  const word = words.get(status)
  if (word !== undefined) return word
  return status >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT'
}

const words = new Map([
  [401, 'UNAUTHENTICATED'],
  [403, 'PERMISSION_DENIED'],
  [404, 'NOT_FOUND'],
  [408, 'DEADLINE_EXCEEDED'],
  [409, 'ABORTED'],
  [429, 'RESOURCE_EXHAUSTED'],
  [499, 'CANCELLED'],
  [501, 'UNIMPLEMENTED'],
  [502, 'UNAVAILABLE'],
  [503, 'UNAVAILABLE'],
  [504, 'DEADLINE_EXCEEDED'],
  [529, 'UNAVAILABLE'],
])
