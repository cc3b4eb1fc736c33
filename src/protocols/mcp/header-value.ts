import { isUtf8 } from 'node:buffer'

/**
 * Encodes a text as a header value that mirrors a message: unchanged where HTTP can carry it, else as marked Base64.
 * Texts that look marked, and empty ones, which some take for missing, are encoded too.
 *
 * @example
 * encodeHeaderValue('größer') // '=?base64?Z3LDtsOfZXI=?='
 */
export const encodeHeaderValue = (text: string): string =>
  isPlain(text) && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))
    ? text
    : `${PREFIX}${Buffer.from(text).toString('base64')}${SUFFIX}`

/** Decodes such a value; undefined for invalid characters or invalid Base64. */
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

/** Visible ASCII with inner spaces and tabs only: outer ones get lost. */
const isPlain = (text: string): boolean => plain.test(text)
const plain = /^[!-~](?:[\t -~]*[!-~])?$/
