import { isUtf8 } from 'node:buffer'

/**
 * A text as the value of a field that mirrors a message: as it is where HTTP can carry that, else in Base64, and marked.
 * So is a text that looks marked, and an empty one, which some would take for none.
 *
 * @example
 * encodeHeaderValue('größer') // '=?base64?Z3LDtsOfZXI=?='
 */
export const encodeHeaderValue = (text: string): string =>
  isPlain(text) && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))
    ? text
    : `${PREFIX}${Buffer.from(text).toString('base64')}${SUFFIX}`

/** The text that such a value carries; undefined if it has characters that it cannot have, or Base64 that is none. */
export const decodeHeaderValue = (value: string): string | undefined => {
  const isMarked =
    value.length >= PREFIX.length + SUFFIX.length && value.startsWith(PREFIX) && value.endsWith(SUFFIX)
  if (!isMarked) return value === '' || isPlain(value) ? value : undefined
  const base64 = value.slice(PREFIX.length, -SUFFIX.length)
  const bytes = Buffer.from(base64, 'base64')
  return bytes.toString('base64') === base64 && isUtf8(bytes) ? bytes.toString() : undefined
}

const PREFIX = '=?base64?'
const SUFFIX = '?='

/** Visible ASCII, with spaces and tabs in between only: those around a value get lost. */
const isPlain = (text: string): boolean => plain.test(text)
const plain = /^[!-~](?:[\t -~]*[!-~])?$/
