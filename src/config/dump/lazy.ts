import type { Shown } from './value.ts'

/**
 * Things by their keys, each made when somebody looks at it: a dump of thousands of routes is then printed part by part,
 * and traffic need not wait for the whole.
 */
export const lazyByKey = <T extends { readonly key: string }>(
  things: readonly T[],
  dump: (thing: T) => Shown,
): Shown => {
  const shown = {}
  for (const thing of things)
    Object.defineProperty(shown, thing.key, { enumerable: true, configurable: true, get: () => dump(thing) })
  return shown
}

/** A list whose items are made when somebody looks at them. */
export const lazyList = <T>(things: readonly T[], dump: (thing: T) => unknown): readonly unknown[] => {
  const shown: unknown[] = []
  things.forEach((thing, i) => {
    Object.defineProperty(shown, i, { enumerable: true, configurable: true, get: () => dump(thing) })
  })
  return shown
}
