import { hash } from 'node:crypto'
import { Secret } from '../context/headers-view.ts'
import { isRecordView } from '../context/record.ts'
import { entriesOf, isPlainObject, toPlain } from './values.ts'

/**
 * A text that is the same for equal values only. Credentials appear as `<redacted>`, so their values are
 * added separately. The result is a hash, so that credentials do not stay in memory.
 */
export const identifyingText = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify([values.map((value) => toPlain(value)), secretsIn(values)]), 'base64')

/** Every credential in a value, at any depth, in order. */
const secretsIn = (value: unknown): readonly string[] => {
  if (value instanceof Secret) return [value.reveal()]
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  return hasMembers(value) ? Array.from(entriesOf(value)).flatMap(([, member]) => secretsIn(member)) : []
}

const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value instanceof Map || isRecordView(value) || isPlainObject(value))
