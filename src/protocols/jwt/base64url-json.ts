import { isJsonObject } from '../json/json-object.ts'
import { parseStrictJson } from '../json/strict-json.ts'

/** An object of JSON. */
export type JsonObject = Readonly<Record<string, unknown>>

/** The object that a part of a token is, or what is wrong with the part, completing `it …`. */
export const jsonObjectIn = (part: string): { readonly value: JsonObject } | { readonly problem: string } => {
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

/** The one spelling that RFC 7515 §2 has: its own alphabet, no padding, and no bits beyond the last byte. */
export const isBase64url = (text: string): boolean =>
  text !== '' && Buffer.from(text, 'base64url').toString('base64url') === text

/** Byte order marks stay, so that JSON refuses them. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
