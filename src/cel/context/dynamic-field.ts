import { callersOnce, convertedOnce } from '../values/values.ts'
import type { Field } from './record.ts'

/** A value of `JSON.parse`, of any shape; it must not change once it was read. */
export const dynamic = <F>(description: string, read: (attributes: F) => unknown): Field<F> => ({
  type: 'dyn',
  description,
  read: (attributes) => convertedOnce(read(attributes)),
})

/**
 * As {@link dynamic}, for JSON that a caller sent: if names differ in letter case only, none of them is
 * read.
 */
export const callersOwn = <F>(description: string, read: (attributes: F) => unknown): Field<F> => ({
  type: 'dyn',
  description,
  read: (attributes) => callersOnce(read(attributes)),
})

/** A list of values of `JSON.parse`; it must not change once it was read. */
export const dynamicList = <F>(
  description: string,
  read: (attributes: F) => readonly unknown[] | undefined,
): Field<F> => ({ ...dynamic(description, read), type: 'list' })
