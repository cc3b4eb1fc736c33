import type { HeaderModifier } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'

/** Names with values, in the order of the file. */
export type Pairs = readonly (readonly [name: string, value: string])[]

/** The fields of a map as pairs, in the order of the file. */
export function pairs(map: Readonly<Record<string, string>> | undefined): Pairs {
  return Object.entries(map ?? {})
}

/** Header names are case-insensitive: stored in lower case. */
export function headerPairs(map: Readonly<Record<string, string>> | undefined): Pairs {
  return pairs(map).map(([name, value]) => [name.toLowerCase(), value])
}

/** Changes to headers, with names in lower case. */
export function headerModifier(modifier: File.HeaderModifier): HeaderModifier {
  return {
    add: headerPairs(modifier.add),
    set: headerPairs(modifier.set),
    remove: (modifier.remove ?? []).map((name) => name.toLowerCase()),
  }
}

/** The changes of both levels, those of the outer one first. */
export function mergeHeaderModifiers(outer: HeaderModifier, inner: HeaderModifier): HeaderModifier {
  return {
    add: [...outer.add, ...inner.add],
    set: [...outer.set, ...inner.set],
    remove: [...outer.remove, ...inner.remove],
  }
}
