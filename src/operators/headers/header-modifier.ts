import type { Headers } from '../model/headers.ts'
import type { HeaderModifier } from '../model/policies.ts'
import { isEditable } from './editable-field.ts'
import { headerText } from './header-text.ts'

/**
 * Compiles literal header changes, applied in the order add, set, remove. Changes to fields that no policy may touch
 * are left out, `host` among them: whoever may change the authority does so apart.
 */
export const editHeaders = ({ add, set, remove }: HeaderModifier): ((headers: Headers) => void) => {
  const added = fields(add)
  const replaced = fields(set)
  const removed = remove.map((name) => name.toLowerCase()).filter(isEditable)
  return (headers) => {
    for (const [name, value] of added) headers.append(name, value)
    for (const [name, value] of replaced) headers.set(name, value)
    for (const name of removed) headers.delete(name)
  }
}

const fields = (given: HeaderModifier['add']): [name: string, value: string][] =>
  given.flatMap(([name, value]) => {
    const text = headerText(value)
    return text !== undefined && isEditable(name) ? [[name.toLowerCase(), text]] : []
  })
