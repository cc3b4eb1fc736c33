import { isUtf8 } from 'node:buffer'
import { breakInJson } from '../json/syntax-error-offset.ts'
import { isJsonObject } from '../json/json-object.ts'
import { CaseInsensitiveNames } from '../json/case-insensitive-names.ts'
import { INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR } from './error-codes.ts'
import type { ErrorObject, Id, JsonObject, Message, Response } from './message.ts'

/** The error reply to an invalid message; the id is null if it could not be read. */
export interface NoMessage {
  readonly error: ErrorObject
  readonly id: Id | null
  /** It is JSON-RPC in part, and its sender expects an error in that format. */
  readonly isJsonRpc?: true
}

/** Finds a problem in a message that is valid JSON-RPC; undefined if there is none. */
export type FindProblem = (message: Message) => string | undefined

/** The messages of a text, or the error. */
export type Parsed = { readonly messages: readonly Message[]; readonly batch: boolean } | NoMessage

/** The single message of a text, or the error. */
export type ParsedMessage = { readonly message: Message } | NoMessage

/**
 * Parses a message or a batch; one invalid message makes a batch invalid. Members unknown to JSON-RPC are
 * dropped, but must not equal a known one in another letter case; the content of `params`, `result` and
 * `error` is kept unchanged.
 *
 * Two rules go beyond JSON-RPC: whole numbers must be exact as doubles, since a rounded id could match
 * another request, and nesting is limited to 512 levels, since serialisers recurse.
 */
export const parseMessages = (bytes: Uint8Array | string, problemIn: FindProblem = noProblem): Parsed => {
  const json = parseJson(bytes)
  if ('error' in json) return json
  const { value } = json
  if (!Array.isArray(value)) {
    const parsed = messageOf(value, problemIn)
    return 'error' in parsed ? parsed : { messages: [parsed.message], batch: false }
  }
  if (value.length === 0) return refuse('a batch needs a message')
  const messages: Message[] = []
  for (const [index, entry] of value.entries()) {
    const parsed = messageOf(entry, problemIn)
    if ('error' in parsed) {
      const { error } = parsed
      return {
        ...parsed,
        error: { ...error, message: `${error.message} (message ${index + 1} of the batch)` },
      }
    }
    messages.push(parsed.message)
  }
  return { messages, batch: true }
}

/** Parses a text with a single message, such as a line of stdio; a batch is invalid. */
export const parseMessage = (bytes: Uint8Array | string): ParsedMessage => {
  const json = parseJson(bytes)
  return 'error' in json ? json : messageOf(json.value, noProblem)
}

const noProblem: FindProblem = () => undefined

/** Deeper nesting is refused. */
const MAX_DEPTH = 512

const parseJson = (bytes: Uint8Array | string): { readonly value: unknown } | NoMessage => {
  let text: string
  if (typeof bytes === 'string') text = bytes
  else {
    const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    text = buffer.toString()
    if (!isUtf8(buffer))
      return unreadable(`invalid UTF-8 at byte ${firstDifference(buffer, Buffer.from(text))}`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    const at = breakInJson(text) ?? 0
    return unreadable(
      at === text.length ? 'the JSON text ends too early' : `invalid JSON at character ${at + 1}`,
    )
  }
  // Each level takes two characters, so that most messages need no scan.
  if (text.length > 2 * MAX_DEPTH && isDeeper(value, MAX_DEPTH))
    return refuse(`nested deeper than ${MAX_DEPTH} levels`)
  return { value }
}

const messageOf = (value: unknown, problemIn: FindProblem): ParsedMessage => {
  if (Array.isArray(value)) return refuse('a message is an object, not an array')
  if (!isJsonObject(value)) return refuse('a message is an object')
  const wrongId = problemOfId(value)
  if (wrongId !== undefined) return refuse(wrongId)
  const id = value.id as Id | null | undefined
  const misspelled = members.problemIn(value)
  if (misspelled !== undefined) return asJsonRpc(refuse(misspelled, id))
  if (value.jsonrpc !== '2.0') return refuse('jsonrpc must be "2.0"', id)
  const parsed = callOrResponse(value, id)
  // Without an id, a client could recognise the refusal by its HTTP status only.
  if ('error' in parsed) return id === undefined || id === null ? asJsonRpc(parsed) : parsed
  const problem = problemIn(parsed.message)
  return problem === undefined ? parsed : asJsonRpc(refuse(problem, id))
}

/** A case-insensitive reader would find other members. */
const members = new CaseInsensitiveNames(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])

const callOrResponse = (value: JsonObject, id: Id | null | undefined): ParsedMessage => {
  if ('method' in value) return callOf(value, id)
  return 'result' in value || 'error' in value
    ? responseOf(value, id)
    : refuse('neither method nor result nor error', id)
}

const callOf = (value: JsonObject, id: Id | null | undefined): ParsedMessage => {
  const { method, params } = value
  if ('result' in value || 'error' in value) return refuse('both method and result or error', id)
  if (typeof method !== 'string') return refuse('method must be a string', id)
  if (id === null) return refuse('id must be a string or a number')
  // Some clients write null for absent params.
  if (params !== undefined && params !== null && !isJsonObject(params))
    return Array.isArray(params)
      ? {
          error: { code: INVALID_PARAMS, message: 'Invalid params: params must be an object' },
          id: id ?? null,
        }
      : refuse('params must be an object', id)
  const known = params ?? undefined
  return {
    message:
      id === undefined
        ? { jsonrpc: '2.0', method, params: known }
        : { jsonrpc: '2.0', id, method, params: known },
  }
}

const responseOf = (value: JsonObject, id: Id | null | undefined): ParsedMessage => {
  const { result, error } = value
  if ('result' in value) {
    if ('error' in value) return refuse('both result and error', id)
    if (id === undefined || id === null) return refuse('a result needs the id of its request')
    return isJsonObject(result)
      ? { message: { jsonrpc: '2.0', id, result } }
      : refuse('result must be an object', id)
  }
  if (!isJsonObject(error)) return refuse('error must be an object', id)
  const { code, message } = error
  if (!Number.isSafeInteger(code)) return refuse('error.code must be a whole number', id)
  if (typeof message !== 'string') return refuse('error.message must be a string', id)
  const kept: ErrorObject =
    'data' in error ? { code: code as number, message, data: error.data } : { code: code as number, message }
  const response: Response =
    id === undefined ? { jsonrpc: '2.0', error: kept } : { jsonrpc: '2.0', id, error: kept }
  return { message: response }
}

const problemOfId = (value: JsonObject): string | undefined => {
  const { id } = value
  if (typeof id === 'string' || id === undefined || id === null) return undefined
  if (typeof id !== 'number') return 'id must be a string or a number'
  return Number.isSafeInteger(id) || (Number.isFinite(id) && !Number.isInteger(id))
    ? undefined
    : 'id is a number too large to be exact'
}

const isDeeper = (value: unknown, levels: number): boolean => {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (const entry of value) if (isDeeper(entry, levels - 1)) return true
    return false
  }
  for (const name in value) if (isDeeper((value as JsonObject)[name], levels - 1)) return true
  return false
}

const firstDifference = (a: Buffer, b: Buffer): number => {
  let i = 0
  while (i < a.length && a[i] === b[i]) i++
  return i
}

const asJsonRpc = (refused: NoMessage): NoMessage => ({ ...refused, isJsonRpc: true })

const unreadable = (problem: string): NoMessage => ({
  error: { code: PARSE_ERROR, message: `Parse error: ${problem}` },
  id: null,
})

const refuse = (problem: string, id?: Id | null): NoMessage => ({
  error: { code: INVALID_REQUEST, message: `Invalid request: ${problem}` },
  id: id ?? null,
})
