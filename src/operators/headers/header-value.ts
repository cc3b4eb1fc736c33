import { IpAddress, CelIpRange } from '../../cel/values/ip-address.ts'
import type { Evaluated } from '../../model/exchange/expression.ts'
import { UnwritableHeader } from './unwritable-header.ts'
import { isFieldValue } from '../../protocols/http/field-syntax.ts'

/** The text of a header field whose characters are bytes: UTF-8 where it is that, otherwise Latin-1. */
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
 * Text as header fields carry it, where a character is a byte. Text that came from a header field stays as it was; other
 * text with characters beyond Latin-1 becomes UTF-8.
 *
 * @returns undefined for what no header field can carry, such as a line break.
 */
export const headerText = (text: string): string | undefined => {
  if (isFieldValue(text)) return text
  const bytes = Buffer.from(text, 'utf8').toString('latin1')
  return isFieldValue(bytes) ? bytes : undefined
}

/** The header value that an expression gave: text, bytes or an address; undefined if it failed or gave anything else. */
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
 * The same for a header of what is sent on: only a value that is neither text nor bytes leaves it out.
 *
 * @throws UnwritableHeader for text and bytes that no header can carry.
 */
export const writtenText = (name: string, result: Evaluated): string | undefined => {
  const text = evaluatedText(result)
  if (text !== undefined || !('value' in result)) return text
  const { value } = result
  if (typeof value === 'string' || value instanceof Uint8Array) throw new UnwritableHeader(name)
  return undefined
}
