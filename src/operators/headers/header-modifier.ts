import type { Headers } from '../../model/exchange/headers.ts'
import type { HeaderModifier } from './schema.ts'
import { isEditable } from './protected-headers.ts'
import { headerText } from './header-value.ts'

/**
 * Compiles literal header changes, applied in the order add, set, remove. Changes to protected fields are ignored,
 * `host` among them: the authority is changed separately.
 */
export const editHeaders = ({ add, set, remove }: HeaderModifier): ((headers: Headers) => void) => {
  const added = fields(add)
  const replaced = fields(set)
  const removed = remove.map((name) => name.toLowerCase()).filter(isEditable)
  const own = [...added, ...replaced].map(([name]) => name)
  return (headers) => {
    for (const [name, value] of added) headers.add(name, value, own)
    for (const [name, value] of replaced) headers.set(name, value, own)
    for (const name of removed) headers.delete(name, own)
  }
}

const fields = (given: HeaderModifier['add']): [name: string, value: string][] =>
  given.flatMap(([name, value]) => {
    const text = headerText(value)
    return text !== undefined && isEditable(name) ? [[name.toLowerCase(), text]] : []
  })
