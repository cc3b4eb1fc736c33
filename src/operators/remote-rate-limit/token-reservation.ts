import type { Exchange } from '../../model/exchange.ts'
import type { Reply } from '../../model/reply.ts'
import type { TokenLimit } from '../../model/token-quota.ts'
import { costOf, type Described } from './limit-request.ts'

/** So much more, or less, of what is counted together. */
export type Hits = readonly (readonly [Described, count: number])[]

/** The ways to a service that counts. */
export interface Counter {
  /** Counts, and says whether that was too much. */
  ask(hits: Hits): Promise<Reply | undefined>
  /** Counts; nobody waits for the answer. */
  tell(hits: Hits): void
}

/**
 * What one exchange used of limits that several gateways share. Only those are held to a count before the call that go by
 * tokens themselves: what a call costs by an expression is known afterwards.
 */
export class ServiceTokens implements TokenLimit {
  readonly #x: Exchange
  readonly #byTokens: readonly Described[]
  readonly #byCost: readonly Described[]
  readonly #counter: Counter
  #held = 0

  constructor(x: Exchange, described: readonly Described[], counter: Counter) {
    this.#x = x
    this.#byTokens = described.filter(({ counted }) => !counted.cost)
    this.#byCost = described.filter(({ counted }) => counted.cost)
    this.#counter = counter
  }

  async reserve(tokens: number): Promise<Reply | undefined> {
    const before = this.#held
    const missing = tokens - before
    if (missing <= 0 || this.#byTokens.length === 0) return undefined
    this.#held = tokens
    const refusal = await this.#counter.ask(this.#ofTokens(missing))
    // The service has counted all the same. If nobody waits any more, that was given back already.
    if (refusal && this.#held === tokens) {
      this.#held = before
      this.#counter.tell(this.#ofTokens(-missing))
    }
    return refusal
  }

  used(tokens: number | undefined): void {
    const hits: [Described, number][] = [...this.#ofTokens((tokens ?? this.#held) - this.#held)]
    for (const one of this.#byCost) {
      const cost = (one.counted.cost && costOf(one.counted.cost, this.#x)) ?? tokens ?? 0
      if (cost > 0) hits.push([one, cost])
    }
    this.#held = 0
    if (hits.length) this.#counter.tell(hits)
  }

  release(): void {
    const hits = this.#ofTokens(-this.#held)
    this.#held = 0
    if (hits.length) this.#counter.tell(hits)
  }

  #ofTokens(count: number): [Described, number][] {
    return count === 0 ? [] : this.#byTokens.map((one) => [one, count])
  }
}
