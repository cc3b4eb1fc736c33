import type { ResourcePrecedence } from '../model/resources/resource-precedence.ts'

/** Something that may have been made from a resource. */
interface MadeFromResource {
  readonly precedence?: ResourcePrecedence
}

/**
 * Sorts routes and policies that nothing else distinguishes: those without a precedence as they are listed, then the
 * others, whatever their position in the list: older resources first, then by namespace and name, rule and match.
 */
export const sortedByPrecedence = <T extends MadeFromResource>(list: readonly T[]): readonly T[] =>
  list.some(({ precedence }) => precedence)
    ? list.toSorted((a, b) => compareResources(a.precedence, b.precedence))
    : list

/** Negative if the first precedes; 0 leaves the order of the list. */
const compareResources = (a: ResourcePrecedence | undefined, b: ResourcePrecedence | undefined): number => {
  if (!a || !b) return Number(a !== undefined) - Number(b !== undefined)
  return (
    compareTexts(a.createdAt, b.createdAt) ||
    compareTexts(`${a.namespace}/${a.name}`, `${b.namespace}/${b.name}`) ||
    a.rule - b.rule ||
    a.match - b.match
  )
}

/** By code units, so that every replica has the same order, whatever its locale. */
const compareTexts = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1)
