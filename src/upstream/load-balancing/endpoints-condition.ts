import type { Endpoints } from './endpoints.ts'
import type { EndpointCondition } from './choice.ts'

/** The condition of all endpoints of an upstream together: it can be used as long as one of them can. */
export class EndpointsCondition implements EndpointCondition {
  readonly #endpoints: Endpoints

  constructor(endpoints: Endpoints) {
    this.#endpoints = endpoints
  }

  get pending(): number {
    return (this.#endpoints.current(performance.now()) ?? []).reduce(
      (sum, { health }) => sum + health.pending,
      0,
    )
  }

  isEvicted(now: number): boolean {
    const known = this.#endpoints.current(now)
    if (!known) return this.#endpoints.unresolved?.health.isEvicted(now) ?? false
    return known.every(({ health }) => health.isEvicted(now))
  }

  score(now: number): number {
    return this.#best(now, ({ health }) => health.score(now))
  }

  strength(now: number): number {
    return this.#best(now, ({ health }) => health.strength(now))
  }

  #best(now: number, of: (one: { readonly health: EndpointCondition }) => number): number {
    let best = 0
    for (const one of this.#endpoints.current(now) ?? [])
      if (!one.health.isEvicted(now)) best = Math.max(best, of(one))
    // Without a usable endpoint all upstreams are equal.
    return best || 1
  }
}
