import { Buffer, isUtf8 } from 'node:buffer'
import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import { breakInJson } from '../../../protocols/json/break-in-json.ts'
import { type JsonObject, jsonObjectIn } from '../../../protocols/json/json-object.ts'
import { MemberText } from '../../../protocols/json/member-text.ts'
import { readJson } from '../../../protocols/json/read-json.ts'
import { holdRequest } from '../../body/hold.ts'
import { decodeRequest } from './content-encoding.ts'
import { refuseRequest } from './llm-refusal.ts'

/** A JSON body, read once. */
export interface HeardBody {
  /** As it came, without its content encoding. */
  readonly bytes: Buffer
  /** Not to be changed: further attempts begin with it again. */
  readonly json: JsonObject
  /** Where its fields are. Made again for each attempt that changes some. */
  readonly text: MemberText
}

/**
 * Reads the body of a request that must be a JSON object. What two readers could take for two different things is
 * refused: a field that comes twice, and bytes that are no text.
 */
export const hearBody = (x: Exchange, limitBytes: number): HeardBody | Reply | Promise<HeardBody | Reply> => {
  const holding = holdRequest(x, limitBytes)
  if (holding) return holding.then((refusal) => (refusal ? tooLarge(limitBytes) : decoded(x, limitBytes)))
  return decoded(x, limitBytes)
}

const decoded = (x: Exchange, limitBytes: number): HeardBody | Reply | Promise<HeardBody | Reply> => {
  const decoding = decodeRequest(x.request, limitBytes)
  if (!decoding) return parsed(x)
  return decoding.then((refusal) => refusal ?? parsed(x))
}

const parsed = (x: Exchange): HeardBody | Reply => {
  const source = x.request.body.source()
  const bytes = Buffer.isBuffer(source) ? source : nothing
  const written = bytes.toString('utf8')
  // What is no UTF-8 was replaced by this; a search for it is over at once in a text of Latin letters.
  if (written.includes('\ufffd') && !isUtf8(bytes)) return notJson('it is not UTF-8')
  const value = readJson(written)
  if (value === undefined) return notJson(written === '' ? empty(x.request.method) : broken(written))
  const json = jsonObjectIn(value)
  if (!json) return notJson('it is not an object')
  const text = MemberText.of(bytes, written)
  return 'problem' in text ? notJson(text.problem) : { bytes, json, text }
}

const nothing = Buffer.alloc(0)

/** Whoever opens the address of a model in a browser learns how it is asked. */
const empty = (method: string): string =>
  method === 'POST' ? 'it is empty' : `it is empty; models are asked with POST, not ${method}`

const broken = (text: string): string | undefined => {
  const at = breakInJson(text)
  if (at === undefined) return undefined
  return at === text.length ? 'it ends too early' : `it is not JSON from character ${String(at + 1)} on`
}

/** The refusal of a body that is no JSON object, or one that means two things. */
export const notJson = (detail?: string): Reply =>
  refuseRequest(
    400,
    'invalid_request_body',
    `LLM request body must be valid JSON${detail === undefined ? '' : `: ${detail}`}`,
  )

/** The refusal of a body that is longer than may be held. */
export const tooLarge = (limitBytes: number): Reply =>
  refuseRequest(
    413,
    'request_body_too_large',
    `LLM request body exceeded the buffer limit of ${String(limitBytes)} bytes`,
  )
