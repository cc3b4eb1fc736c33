import type { Kind, Kinds } from '../kinds/kinds.ts'

/** Finds objects of a kind by values that they contain, such as the keys of objects that they refer to. */
export interface Index<K extends Kind> {
  readonly kind: K
  readonly name: string
  readonly valuesOf: (object: Kinds[K]) => readonly string[]
}

/**
 * Defines an index.
 *
 * @example
 * const routesByHost = defineIndex('HTTPRoute', 'host', ({ spec }) => spec.hostnames ?? [])
 */
export const defineIndex = <K extends Kind>(
  kind: K,
  name: string,
  valuesOf: (object: Kinds[K]) => readonly string[],
): Index<K> => ({ kind, name, valuesOf })
