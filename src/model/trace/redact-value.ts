import { isSensitiveParameter, redacted, redactText, type Redaction } from './redact.ts'

/**
 * A copy of plain data with credentials redacted: values of fields named like credentials, of header fields that carry
 * them (`{ authorization: … }` and `['authorization', …]` alike), and credentials in URLs.
 *
 * @example
 * redactValue({ set: [['authorization', 'Bearer x']] }, redaction) // { set: [['authorization', '<redacted>']] }
 */
export const redactValue = (value: unknown, redaction: Redaction): unknown => {
  if (typeof value === 'string') return mayHide.test(value) ? redactText(value) : value
  if (typeof value === 'bigint') return value.toString()
  if (Array.isArray(value)) return redactList(value, redaction)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = {}
  const fields: Iterable<[unknown, unknown]> = value instanceof Map ? value : Object.entries(value)
  for (const [key, one] of fields) {
    const name = String(key)
    copy[name] = isNamedSecret(name, one, redaction) ? redacted : redactValue(one, redaction)
  }
  // A matcher: `{ name: 'authorization', value: { exact: … } }`.
  if (typeof copy.name === 'string' && 'value' in copy && redaction.isSensitive(copy.name.toLowerCase()))
    copy.value = blank(copy.value)
  return copy
}

/** Whether a named value is a credential itself, rather than something that may contain one. */
export const isNamedSecret = (name: string, value: unknown, redaction: Redaction): boolean => {
  if (typeof value !== 'string' && !Array.isArray(value)) return false
  if (Array.isArray(value) && value.some((one) => typeof one !== 'string')) return false
  if (value.length === 0 || harmless.has(name)) return false
  return isSensitiveParameter(name) || redaction.isSensitive(name.toLowerCase())
}

/** Configuration fields that are named like a credential and contain none: matches, hashes and the like. */
const harmless = new Set(['key', 'code', 'auth', 'state'])

/** Cheap test for texts that could contain a credential. */
const mayHide = /@|[?#]|bearer|basic|token|apikey|digest|negotiate/i

const blank = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.keys(value).map((key) => [key, redacted]))
    : redacted

const redactList = (list: readonly unknown[], redaction: Redaction): unknown[] => {
  const [name, value] = list
  const isField = list.length === 2 && typeof name === 'string' && typeof value === 'string'
  return isField && redaction.isSensitive(name.toLowerCase())
    ? [name, redacted]
    : list.map((one) => redactValue(one, redaction))
}
