import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { TokenLimit } from '../../model/exchange/token-limit.ts'
import { costOf, type Described } from './request.ts'

/** A number of hits to add or subtract, by descriptor. */
export type Hits = readonly (readonly [Described, count: number])[]

/** The calls of a rate limit service. */
export interface RateLimitCalls {
  /** Counts, and resolves to a refusal if the limit is exceeded. */
  reserve(hits: Hits): Promise<Reply | undefined>
  /** Counts without waiting for the response. */
  report(hits: Hits): void
}

/**
 * The tokens that one exchange used of limits that several gateways share. Only limits by the number of tokens reserve
 * before the call: the cost by an expression is known afterwards.
 */
export class ServiceTokens implements TokenLimit {
  readonly #x: Exchange
  readonly #byTokens: readonly Described[]
  readonly #byCost: readonly Described[]
  readonly #calls: RateLimitCalls
  #reserved = 0

  constructor(x: Exchange, described: readonly Described[], calls: RateLimitCalls) {
    this.#x = x
    this.#byTokens = described.filter(({ counted }) => !counted.cost)
    this.#byCost = described.filter(({ counted }) => counted.cost)
    this.#calls = calls
  }

  async reserve(tokens: number): Promise<Reply | undefined> {
    const before = this.#reserved
    const missing = tokens - before
    if (missing <= 0 || this.#byTokens.length === 0) return undefined
    this.#reserved = tokens
    const refusal = await this.#calls.reserve(this.#ofTokens(missing))
    // The service has counted all the same. If the reservation was released meanwhile, the tokens were returned
    // already.
    if (refusal && this.#reserved === tokens) {
      this.#reserved = before
      this.#calls.report(this.#ofTokens(-missing))
    }
    return refusal
  }

  used(tokens: number | undefined): void {
    const hits: [Described, number][] = [...this.#ofTokens((tokens ?? this.#reserved) - this.#reserved)]
    for (const one of this.#byCost) {
      const cost = (one.counted.cost && costOf(one.counted.cost, this.#x)) ?? tokens ?? 0
      if (cost > 0) hits.push([one, cost])
    }
    this.#reserved = 0
    if (hits.length) this.#calls.report(hits)
  }

  release(): void {
    const hits = this.#ofTokens(-this.#reserved)
    this.#reserved = 0
    if (hits.length) this.#calls.report(hits)
  }

  #ofTokens(count: number): [Described, number][] {
    return count === 0 ? [] : this.#byTokens.map((one) => [one, count])
  }
}
