import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'

/** Decodes an error of Bedrock, whose type is usually in the header `x-amzn-errortype`, rarely in the body. */
export const decodeError = (status: number, body: unknown): LlmError => {
  const object = jsonObjectOr(body)
  const type = textIn(object.__type) ?? textIn(object.code)
  return {
    status,
    message: messageIn(object) ?? `the provider answered with status ${status}`,
    code: type?.slice(type.lastIndexOf('#') + 1),
  }
}

/** Decodes an exception that ends a stream. */
export const exceptionError = (name: string, payload: unknown): LlmError => {
  const object = jsonObjectIn(payload)
  const kind = name.charAt(0).toUpperCase() + name.slice(1)
  const original = object?.originalStatusCode
  const status =
    typeof original === 'number' && original >= 400 && original < 600 ? original : (statuses.get(kind) ?? 502)
  return { status, message: messageIn(object ?? {}) ?? `the provider sent ${kind}`, code: kind }
}

/** Encodes an error as Bedrock does. */
export const encodeError = ({ status, message, code }: LlmError): JsonObject => ({
  __type: code !== undefined && statuses.has(code) ? code : kindOf(status),
  message,
})

const messageIn = (object: JsonObject): string | undefined =>
  textIn(object.message) ?? textIn(object.Message) ?? textIn(object.originalMessage)

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

/** Exceptions of the Bedrock Runtime with their HTTP status. */
const statuses = new Map([
  ['ValidationException', 400],
  ['AccessDeniedException', 403],
  ['ResourceNotFoundException', 404],
  ['ModelTimeoutException', 408],
  ['ConflictException', 409],
  ['ModelErrorException', 424],
  ['ModelStreamErrorException', 424],
  ['ThrottlingException', 429],
  ['ModelNotReadyException', 429],
  ['ServiceQuotaExceededException', 429],
  ['InternalServerException', 500],
  ['ServiceUnavailableException', 503],
])

const kindOf = (status: number): string => {
  const kind = kinds.get(status)
  if (kind !== undefined) return kind
  return status >= 500 ? 'InternalServerException' : 'ValidationException'
}

const kinds = new Map([
  [401, 'AccessDeniedException'],
  [403, 'AccessDeniedException'],
  [404, 'ResourceNotFoundException'],
  [408, 'ModelTimeoutException'],
  [409, 'ConflictException'],
  [424, 'ModelErrorException'],
  [429, 'ThrottlingException'],
  [503, 'ServiceUnavailableException'],
  [504, 'ModelTimeoutException'],
  [529, 'ServiceUnavailableException'],
])
