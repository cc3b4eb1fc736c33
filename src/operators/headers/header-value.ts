import { IpAddress, CelIpRange } from '../../cel/values/ip-address.ts'
import type { Evaluated } from '../../model/exchange/expression.ts'
import { UnwritableHeader } from './unwritable-header.ts'
import { isFieldValue } from '../../protocols/http/field-syntax.ts'

/** Decodes a header value whose characters are bytes: as UTF-8 if valid, otherwise as Latin-1. */
export const fieldText = (value: string): string => {
  if (!beyondAscii.test(value)) return value
  try {
    return utf8.decode(Buffer.from(value, 'latin1'))
  } catch {
    return value
  }
}

const beyondAscii = /[^\x00-\x7f]/
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Encodes text for header fields, in which a character is a byte. Text from a header field is unchanged; other text
 * with characters beyond Latin-1 becomes UTF-8.
 *
 * @returns undefined for text that no header field can contain, such as a line break.
 */
export const headerText = (text: string): string | undefined => {
  if (isFieldValue(text)) return text
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return isFieldValue(bytes) ? bytes : undefined
}

/**
 * The header value of an expression's result: text, bytes or an address; undefined if it failed or returned anything
 * else.
 */
export const evaluatedText = (result: Evaluated): string | undefined => {
  if (!('value' in result)) return undefined
  const { value } = result
  if (typeof value === 'string') return headerText(value)
  if (value instanceof IpAddress || value instanceof CelIpRange) return value.toString()
  if (!(value instanceof Uint8Array)) return undefined
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
  return isFieldValue(bytes) ? bytes : undefined
}

/**
 * The same for a header of a forwarded message: only a value that is neither text nor bytes omits it.
 *
 * @throws UnwritableHeader for text and bytes that no header can contain.
 */
export const writtenText = (name: string, result: Evaluated): string | undefined => {
  const text = evaluatedText(result)
  if (text !== undefined || !('value' in result)) return text
  const { value } = result
  if (typeof value === 'string' || value instanceof Uint8Array) throw new UnwritableHeader(name)
  return undefined
}
