import { Buffer, isUtf8 } from 'node:buffer'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { breakInJson } from '../../../protocols/json/syntax-error-offset.ts'
import { type JsonObject, jsonObjectIn } from '../../../protocols/json/json-object.ts'
import { EditableObject } from '../../../protocols/json/editable-object.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { requestNameProblem } from '../../../protocols/llm/members/read-members.ts'
import { bufferRequestBody } from '../../body/buffer-body.ts'
import { decodeContentEncoding } from './content-encoding.ts'
import { refuseRequest } from '../refusals.ts'

/** A JSON body, parsed once. */
export interface JsonBody {
  /** As received, without its content encoding. */
  readonly bytes: Buffer
  /** Not to be changed: further attempts start with it again. */
  readonly json: JsonObject
  /** The positions of its fields. Created again for each attempt that changes some. */
  readonly text: EditableObject
}

/**
 * Parses the body of a request that must be a JSON object. Ambiguous input is refused: duplicate names, even in
 * different case, and bytes that are not UTF-8.
 */
export const parseBody = (x: Exchange, limitBytes: number): JsonBody | Reply | Promise<JsonBody | Reply> => {
  const buffering = bufferRequestBody(x, limitBytes)
  if (buffering) return buffering.then((refusal) => (refusal ? tooLarge(limitBytes) : decoded(x, limitBytes)))
  return decoded(x, limitBytes)
}

const decoded = (x: Exchange, limitBytes: number): JsonBody | Reply | Promise<JsonBody | Reply> => {
  const decoding = decodeContentEncoding(x.request, limitBytes)
  if (!decoding) return parsed(x)
  return decoding.then((refusal) => refusal ?? parsed(x))
}

const parsed = (x: Exchange): JsonBody | Reply => {
  const source = x.request.body.source()
  const bytes = Buffer.isBuffer(source) ? source : nothing
  const written = bytes.toString('utf8')
  // Invalid UTF-8 was replaced with this character; in Latin text the search for it is fast.
  if (written.includes('\ufffd') && !isUtf8(bytes)) return notJson('it is not UTF-8')
  const value = readJson(written)
  if (value === undefined)
    return notJson(written === '' ? emptyProblem(x.request.method) : syntaxProblem(written))
  const json = jsonObjectIn(value)
  if (!json) return notJson('it is not an object')
  const misnamed = requestNameProblem(json)
  if (misnamed !== undefined) return notJson(misnamed)
  const text = EditableObject.of(bytes, written)
  return 'problem' in text ? notJson(text.problem) : { bytes, json, text }
}

const nothing = Buffer.alloc(0)

/** Explains the method to users who open the address of a model in a browser. */
const emptyProblem = (method: string): string =>
  method === 'POST' ? 'it is empty' : `it is empty; models are asked with POST, not ${method}`

const syntaxProblem = (text: string): string | undefined => {
  const at = breakInJson(text)
  if (at === undefined) return undefined
  return at === text.length ? 'it ends too early' : `it is not JSON from character ${String(at + 1)} on`
}

/** The refusal of a body that is not a JSON object, or is ambiguous. */
export const notJson = (detail?: string): Reply =>
  refuseRequest(
    400,
    'invalid_request_body',
    `LLM request body must be valid JSON${detail === undefined ? '' : `: ${detail}`}`,
  )

/** The refusal of a body that exceeds the buffer limit. */
export const tooLarge = (limitBytes: number): Reply =>
  refuseRequest(
    413,
    'request_body_too_large',
    `LLM request body exceeded the buffer limit of ${String(limitBytes)} bytes`,
  )
