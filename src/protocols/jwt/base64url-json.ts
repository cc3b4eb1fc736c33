import { isJsonObject } from '../json/json-object.ts'
import { parseStrictJson } from '../json/strict-json.ts'

/** A JSON object. */
export type ClaimsObject = Readonly<Record<string, unknown>>

/** The object in a part of a token, or the problem, completing `it …`. */
export const claimsObjectIn = (
  part: string,
): { readonly value: ClaimsObject } | { readonly problem: string } => {
  if (!isBase64url(part)) return { problem: 'is not base64url' }
  let text: string
  try {
    text = utf8.decode(Buffer.from(part, 'base64url'))
  } catch {
    return { problem: 'is not UTF-8' }
  }
  const json = parseStrictJson(text)
  if ('problem' in json) return json
  return isJsonObject(json.value) ? { value: json.value } : { problem: 'is no object' }
}

/** The one valid encoding of RFC 7515 §2: its alphabet, no padding, and no bits beyond the last byte. */
export const isBase64url = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text

/** Byte order marks are kept, so that JSON refuses them. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
