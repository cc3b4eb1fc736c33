/** Health and load of one of several equivalent choices. Times are those of the caller's clock, in milliseconds. */
export interface EndpointCondition {
  /** Calls under way. */
  readonly pending: number
  /** Excluded for now. */
  isEvicted(now: number): boolean
  /** The higher, the better. */
  score(now: number): number
  /** 0…1: the part of its share that it gets. Less than 1 only during slow start. */
  strength(now: number): number
}

/** One of several equivalent choices. */
export interface Choice {
  readonly health: EndpointCondition
  /** Hash of its name, the same over reloads. */
  readonly seed: number
  /** Its share in proportion to the others; 1 by default. Not 0. */
  readonly weight?: number | undefined
  /** Used while no choice of a lower number can be; 0 by default. */
  readonly priority?: number | undefined
}

/** The effective weight of a choice at a moment. */
export const weightAt = ({ weight = 1, health }: Choice, now: number): number => weight * health.strength(now)
