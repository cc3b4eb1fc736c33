import { isSecretText } from '../../model/policies/secret-text.ts'

/** A field that differs. Paths are those of `/config_dump`, or of the parsed configuration for hidden values. */
export interface ChangedField {
  readonly path: string
  /** As JSON, shortened; undefined if there is none. */
  readonly old: string | undefined
  readonly new: string | undefined
}

/** Longest value that is shown. */
const MAX_VALUE = 200
/** Deepest value that is compared field by field. */
const MAX_DEPTH = 12

/** Whether two values of the resource model are equal. Locations in the file do not count. */
export const equalValues = (a: unknown, b: unknown): boolean => {
  if (Object.is(a, b)) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (a instanceof Set || b instanceof Set)
    return a instanceof Set && b instanceof Set && equalValues([...a], [...b])
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const [left, right] = [fieldsOf(a), fieldsOf(b)]
  return left.length === right.length && left.every(([name, value]) => equalValues(value, fieldOf(b, name)))
}

/** The fields in which two printed values differ. Nothing in them is secret any more. */
export function* changedFields(a: unknown, b: unknown, path = '', depth = 0): Generator<ChangedField> {
  if (equalValues(a, b)) return
  if (depth >= MAX_DEPTH || !areComparable(a, b)) {
    yield { path, old: shown(a), new: shown(b) }
    return
  }
  const names = new Set([...fieldsOf(a), ...fieldsOf(b)].map(([name]) => name))
  for (const name of names)
    yield* changedFields(fieldOf(a, name), fieldOf(b, name), joined(path, name), depth + 1)
}

/** The paths at which a secret text has another value, or at which there was none. */
export function* changedSecrets(a: unknown, b: unknown, path = '', depth = 0): Generator<string> {
  if (depth >= MAX_DEPTH || equalValues(a, b)) return
  if (isSecretText(a) || isSecretText(b)) yield path
  else if (areComparable(a, b))
    for (const [name, value] of fieldsOf(a))
      yield* changedSecrets(value, fieldOf(b, name), joined(path, name), depth + 1)
}

/** Two objects, or two lists of one length. */
const areComparable = (a: unknown, b: unknown): a is object =>
  typeof a === 'object' &&
  typeof b === 'object' &&
  a !== null &&
  b !== null &&
  Array.isArray(a) === Array.isArray(b) &&
  (!Array.isArray(a) || a.length === (b as readonly unknown[]).length)

const fieldsOf = (value: unknown): [string, unknown][] =>
  Object.entries(value as object).filter(([name, one]) => one !== undefined && !locations.has(name))

const fieldOf = (value: unknown, name: string): unknown =>
  Object.hasOwn(value as object, name) ? (value as Readonly<Record<string, unknown>>)[name] : undefined

/** Where something is written in the file. */
const locations: ReadonlySet<string> = new Set(['origin', 'warnings'])

const joined = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

const shown = (value: unknown): string | undefined => {
  const json = JSON.stringify(value) as string | undefined
  return json !== undefined && json.length > MAX_VALUE ? `${json.slice(0, MAX_VALUE)}…` : json
}
