import type { InputKind, Inputs } from '../kinds/inputs.ts'

/** Finds objects of a kind by values that they contain, such as the keys of objects that they refer to. */
export interface Index<K extends InputKind> {
  readonly kind: K
  readonly name: string
  readonly valuesOf: (object: Inputs[K]) => readonly string[]
}

/**
 * Defines an index.
 *
 * @example
 * const routesByHost = defineIndex('HTTPRoute', 'host', ({ spec }) => spec.hostnames ?? [])
 */
export const defineIndex = <K extends InputKind>(
  kind: K,
  name: string,
  valuesOf: (object: Inputs[K]) => readonly string[],
): Index<K> => ({ kind, name, valuesOf })

/** The values of an object. One of an unexpected shape has none, and ends nothing: whatever reads it as a whole fails. */
export const indexValues = <K extends InputKind>(index: Index<K>, object: Inputs[K]): readonly string[] => {
  try {
    return index.valuesOf(object)
  } catch (error) {
    if (error instanceof TypeError) return []
    throw error
  }
}
