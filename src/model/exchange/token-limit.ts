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
  /** What is set aside is given back when it ends. */
  #lease: NodeJS.Timeout | undefined = undefined
  /** What was set aside until the lease ended: what counts if nobody ever says how much was used. */
  #lapsed: number | undefined = undefined

  /** Makes the tokens of the exchange count against one more. */
  add(limit: TokenLimit): void {
    this.#limits.push(limit)
  }

  /**
   * Sets tokens aside everywhere, or nowhere if one of the limits refuses; for as long as a lease lasts. What is used after
   * that is charged all the same.
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
 * How long tokens stay set aside for a call that tells nothing. Ten minutes are longer than answers take, even where models
 * think first, and are what common clients wait before they give up. A call that hangs for longer would keep others from
 * tokens that it may never use.
 */
const LEASE_MS = 600_000
