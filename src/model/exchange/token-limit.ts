import type { Reply } from './reply.ts'

/** A limit on language model tokens, for one exchange. */
export interface TokenLimit {
  /**
   * Reserves tokens before they are used: from then on at least this many are reserved.
   *
   * @returns A refusal if there are not enough; then the reservation does not change.
   */
  reserve(tokens: number): Reply | undefined | Promise<Reply | undefined>
  /**
   * Charges the tokens of a call; the reservation counts towards them. Undefined means unknown: then the reservation is
   * charged.
   */
  used(tokens: number | undefined): void
  /** No call follows: releases the reservation. */
  release(): void
}

/**
 * The limits that count the tokens of one exchange. A rate limit adds itself and is notified of the use; the stage that
 * calls a model reports the use here and does not depend on the limits.
 *
 * Each limit keeps what it has checked, so that exactly this is charged.
 */
export class TokenQuota implements TokenLimit {
  readonly #limits: TokenLimit[] = []
  /** Counts the releases, to detect a reservation that completes after its release. */
  #releases = 0
  /** The reservation is released when it fires. */
  #lease: NodeJS.Timeout | undefined = undefined
  /** The reservation when the lease ended: charged if no use is ever reported. */
  #lapsed: number | undefined = undefined

  /** Adds a limit. */
  add(limit: TokenLimit): void {
    this.#limits.push(limit)
  }

  /**
   * Reserves tokens in every limit, or in none if one refuses, until the lease ends. Tokens used after that are charged
   * all the same.
   */
  async reserve(tokens: number): Promise<Reply | undefined> {
    if (this.#limits.length === 0) return undefined
    const releases = this.#releases
    this.#begin(tokens)
    for (const limit of this.#limits) {
      const refusal = await limit.reserve(tokens)
      if (!refusal && releases === this.#releases) continue
      this.release()
      return refusal
    }
    return undefined
  }

  used(tokens: number | undefined): void {
    const counted = tokens ?? this.#lapsed
    this.#end()
    for (const limit of this.#limits) limit.used(counted)
  }

  release(): void {
    this.#releases++
    this.#end()
    for (const limit of this.#limits) limit.release()
  }

  #begin(tokens: number): void {
    this.#end()
    this.#lease = setTimeout(() => {
      this.release()
      this.#lapsed = tokens
    }, LEASE_MS).unref()
  }

  #end(): void {
    clearTimeout(this.#lease)
    this.#lease = this.#lapsed = undefined
  }
}

/**
 * Lease of a reservation whose call reports no use. Ten minutes are longer than responses take, even of reasoning
 * models, and a common timeout of clients. A longer lease would block tokens that a hanging call may never use.
 */
const LEASE_MS = 600_000
