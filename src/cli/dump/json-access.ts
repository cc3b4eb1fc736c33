import { jsonObjectOr } from '../../protocols/json/json-object.ts'

/** An object of a dump. Dumps come from other versions and programs, so that nothing in them is certain. */
export type DumpMembers = Readonly<Record<string, unknown>>

/** The members of an object; none of anything else. */
export const dumpMembers = (value: unknown): DumpMembers => jsonObjectOr(value)

/** The items of a list, or the values of an object with keys; none of anything else. */
export const dumpItems = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? (value as readonly unknown[]) : Object.values(dumpMembers(value))

/** A text, or an empty one. */
export const dumpText = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A finite number. */
export const dumpNumber = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined

/** The only member of an object such as `{"host": {…}}`, which names a variant. */
export const dumpVariant = (value: unknown): readonly [name: string, value: unknown] =>
  Object.entries(dumpMembers(value))[0] ?? ['', undefined]
