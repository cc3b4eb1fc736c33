import type { ErrorObject } from 'ajv/dist/2020.js'
import { SILENT, isWarning } from '../schema-check/explain-errors.ts'
import { child } from './json-pointer.ts'

/** The valid rest of a configuration without its invalid parts, so that the rest can be checked as well. */
export interface Pruned {
  readonly value: unknown
  /** The position of an entry in the original list. */
  originalIndex(list: readonly unknown[], index: number): number
}

/** Invalid parts are removed from the inside out, one level a round; no file is deeper than this. */
const MAX_ROUNDS = 40

/**
 * Removes the values that the validator reports, and their parents where these cannot do without, until it
 * reports nothing.
 *
 * @param broken Pointers of values that are known to be invalid already.
 */
export function prune(
  value: unknown,
  validate: (value: unknown) => readonly ErrorObject[],
  broken: readonly string[],
): Pruned {
  const indices = new WeakMap<readonly unknown[], readonly number[]>()
  const originalIndex = (list: readonly unknown[], index: number): number =>
    indices.get(list)?.[index] ?? index
  let removed: ReadonlySet<string> = new Set(broken)
  let current = value
  for (let round = 0; round < MAX_ROUNDS; round++) {
    current = removed.has('') ? {} : without(current, '', removed, indices, originalIndex)
    removed = new Set(validate(current).flatMap(wrongPart))
    if (removed.size === 0) return { value: current, originalIndex }
  }
  return { value: {}, originalIndex }
}

function wrongPart(error: ErrorObject): readonly string[] {
  if (SILENT.has(error.keyword) || isWarning(error)) return []
  if (error.keyword === 'additionalProperties') {
    return [child(error.instancePath, String(error.params.additionalProperty))]
  }
  return [
    error.propertyName === undefined ? error.instancePath : child(error.instancePath, error.propertyName),
  ]
}

function without(
  value: unknown,
  pointer: string,
  removed: ReadonlySet<string>,
  indices: WeakMap<readonly unknown[], readonly number[]>,
  originalIndex: Pruned['originalIndex'],
): unknown {
  const inside = (key: string | number, item: unknown): unknown =>
    without(item, child(pointer, key), removed, indices, originalIndex)
  if (Array.isArray(value)) {
    const list: readonly unknown[] = value
    const kept = list.map((_, index) => index).filter((index) => !removed.has(child(pointer, index)))
    const result = kept.map((index) => inside(index, list[index]))
    indices.set(
      result,
      kept.map((index) => originalIndex(list, index)),
    )
    return result
  }
  if (typeof value !== 'object' || value === null) return value
  const kept = Object.entries(value).filter(([key]) => !removed.has(child(pointer, key)))
  return Object.fromEntries(kept.map(([key, item]) => [key, inside(key, item)]))
}

/** Whether a location is, contains, or lies within one of the others. */
export function overlaps(pointer: string, others: readonly string[]): boolean {
  const mine = `${pointer}/`
  return others.some((other) => mine.startsWith(`${other}/`) || `${other}/`.startsWith(mine))
}
