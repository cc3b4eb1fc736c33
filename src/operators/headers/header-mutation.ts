import type { Headers } from '../../model/exchange/headers.ts'
import { isEditable } from './protected-headers.ts'
import { headerText } from './header-value.ts'

/** A header change by the service of a policy. */
export interface FieldChange {
  /** Lower-case. */
  readonly name: string
  readonly value: string
  readonly action: 'append' | 'set' | 'add-if-absent' | 'set-if-present'
}

/** A change requested by a service; undefined if the field is protected or the value invalid. */
export const fieldChange = (
  name: string,
  value: string,
  action: FieldChange['action'],
): FieldChange | undefined => {
  const text = headerText(value)
  return text !== undefined && isEditable(name)
    ? { name: name.toLowerCase(), value: text, action }
    : undefined
}

/** Applies changes in order. Other spellings of a changed name are removed, unless they are among the changes too. */
export const applyFieldChanges = (headers: Headers, changes: readonly FieldChange[]): void => {
  if (changes.length === 0) return
  const own = changes.map(({ name }) => name)
  for (const { name, value, action } of changes) {
    const isThere = action === 'append' || action === 'set' ? undefined : headers.has(name)
    if (action === 'append' || isThere === false) {
      if (action !== 'set-if-present') headers.add(name, value, own)
    } else if (action !== 'add-if-absent') headers.set(name, value, own)
  }
}
