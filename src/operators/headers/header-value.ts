import type { Evaluated } from '../model/evaluate.ts'
import { isFieldValue } from '../protocols/http/field-syntax.ts'

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

/** The header value that an expression gave: text or bytes; undefined if it failed or gave anything else. */
export const evaluatedText = (result: Evaluated): string | undefined => {
  if (!('value' in result)) return undefined
  const { value } = result
  if (typeof value === 'string') return headerText(value)
  if (!(value instanceof Uint8Array)) return undefined
  const bytes = Buffer.from(value.buffer, value.byteOffset, value.length).toString('latin1')
  return isFieldValue(bytes) ? bytes : undefined
}
