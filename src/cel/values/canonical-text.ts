import { hash } from 'node:crypto'
import { Secret } from './headers-view.ts'
import { isRecordView } from './record.ts'
import { entriesOf, isPlainObject, toPlain } from './values.ts'

/**
 * A text that is the same for equal values and for no others. Credentials are shown to nobody as `<redacted>`, but here
 * they make the difference. It is a hash, so that nobody finds them in memory.
 */
export const identifyingText = (values: readonly unknown[]): string =>
  hash('sha256', JSON.stringify([values.map((value) => toPlain(value)), secretsIn(values)]), 'base64')

/** Every credential in a value, however deep, in the order in which they come. */
const secretsIn = (value: unknown): readonly string[] => {
  if (value instanceof Secret) return [value.reveal()]
  if (Array.isArray(value)) return value.flatMap(secretsIn)
  return hasMembers(value) ? Array.from(entriesOf(value)).flatMap(([, member]) => secretsIn(member)) : []
}

const hasMembers = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (value instanceof Map || isRecordView(value) || isPlainObject(value))
