import type { Reply } from './reply.ts'

/** A limit of the tokens of language models, as one exchange meets it. */
export interface TokenLimit {
  /**
   * Sets tokens aside before they are used: at least so many are held from then on.
   *
   * @returns A refusal if there are not enough; then nothing more is held than before.
   */
  reserve(tokens: number): Reply | undefined | Promise<Reply | undefined>
  /**
   * So many were used by a call: what is held counts towards them. Undefined if it is not known how many were; then what
   * is held was.
   */
  used(tokens: number | undefined): void
  /** No call follows: gives back what is held. */
  release(): void
}

/**
 * The limits that the tokens of one exchange count against. Who limits adds itself here and finds out what is used; who
 * asks a model tells so here, and need not know who limits.
 *
 * Each limit holds on to what it has checked, so that it is that, and nothing else, which is charged.
 */
export class TokenQuota implements TokenLimit {
  readonly #limits: TokenLimit[] = []
  /** Counts the releases, so that what is set aside later than it was asked for is known. */
  #releases = 0

  /** Makes the tokens of the exchange count against one more. */
  add(limit: TokenLimit): void {
    this.#limits.push(limit)
  }

  /** Sets tokens aside everywhere, or nowhere if one of the limits refuses. */
  async reserve(tokens: number): Promise<Reply | undefined> {
    const releases = this.#releases
    for (const limit of this.#limits) {
      const refusal = await limit.reserve(tokens)
      if (!refusal && releases === this.#releases) continue
      this.release()
      return refusal
    }
    return undefined
  }

  used(tokens: number | undefined): void {
    for (const limit of this.#limits) limit.used(tokens)
  }

  release(): void {
    this.#releases++
    for (const limit of this.#limits) limit.release()
  }
}
