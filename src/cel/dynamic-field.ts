import { convertedOnce } from './converted.ts'
import type { Field } from './record.ts'

/** What `JSON.parse` gives, of any shape; it must not change once it was read. */
export const dynamic = <F>(description: string, read: (facts: F) => unknown): Field<F> => ({
  type: 'dyn',
  description,
  read: (facts) => convertedOnce(read(facts)),
})

/** A list of what `JSON.parse` gives; it must not change once it was read. */
export const dynamicList = <F>(
  description: string,
  read: (facts: F) => readonly unknown[] | undefined,
): Field<F> => ({ ...dynamic(description, read), type: 'list' })
