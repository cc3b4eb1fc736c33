/** Choices that depend on a seed only. */
export interface HostileChoices {
  /** One of the values. */
  readonly pick: <T>(...values: readonly T[]) => T
  /** A list of so many items at most. */
  readonly some: <T>(atMost: number, make: () => T) => readonly T[]
  /** The value in one of four cases, and otherwise none. */
  readonly maybe: <T>(make: () => T) => T | undefined
}

/** Choices by a linear congruential generator. */
export const hostileChoices = (seed: number): HostileChoices => {
  let state = seed * 2_654_435_761
  const below = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
    return (state >>> 8) % limit
  }
  const pick = <T>(...values: readonly T[]): T => values[below(values.length)] as T
  return {
    pick,
    some: (atMost, make) => Array.from({ length: below(atMost + 1) }, make),
    maybe: (make) => (below(4) === 0 ? make() : undefined),
  }
}
