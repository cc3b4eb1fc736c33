import { foldCase } from '../../protocols/json/fold-case.ts'
import { celError } from '../engine/eval-error.ts'

/**
 * A JSON object that a caller has sent, as a map. The upstream may match names in any letter case, so a
 * member is read only if no other one could be taken for it. The library accepts no other class for maps, so
 * the map is marked.
 */
export const callerMap = (): Map<unknown, unknown> => {
  const map: Marked = new Map()
  map[mark] = true
  return map
}

/** Whether the map was created by {@link callerMap}. */
export const isCallerMap = (map: Marked): boolean => map[mark] === true

type Marked = Map<unknown, unknown> & { [mark]?: true }
const mark = Symbol('sent by a caller')

/**
 * Throws if an object that a caller sent has a member whose name is `key` in another letter case, beside it
 * or instead of it. The names of each object are scanned once.
 */
export const refuseOtherCase = (object: object, key: unknown): void => {
  if (typeof key !== 'string') return
  let known = spellings.get(object)
  if (!known) spellings.set(object, (known = spellingsOf(object)))
  const folded = foldCase(key)
  if (known.has(folded) && known.get(folded) !== key)
    throw celError('repeated_member', `the key ${key} is there in another letter case`)
}

/** The spelling of each name, by its case-folded form; undefined if there are several. */
const spellingsOf = (object: object): ReadonlyMap<string, string | undefined> => {
  const spelled = new Map<string, string | undefined>()
  for (const name of object instanceof Map ? object.keys() : Object.keys(object)) {
    const folded = foldCase(String(name))
    spelled.set(folded, spelled.has(folded) ? undefined : String(name))
  }
  return spelled
}

const spellings = new WeakMap<object, ReadonlyMap<string, string | undefined>>()
