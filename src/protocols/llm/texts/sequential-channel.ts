/**
 * The texts that are said one after the other, such as what a model thinks, says and asks tools for: when one begins, the
 * others are over, although nothing says so. Where that turns out to be wrong, none is taken to be over until all are.
 */
export class OneAtATime {
  readonly #prefix: string
  /** Channels by the kind of text. */
  readonly #open = new Map<string, Set<string>>()
  /** How often a kind of text was over. */
  readonly #ended = new Map<string, number>()
  #isOverlapping = false
  #isFinished = false

  /** @param prefix Sets the channels apart from those of others. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /**
   * @param isOne It is one text, and not one after the other of a kind: once it is over, it does not go on.
   * @returns The channels that nothing follows in.
   */
  begin(kind: string, isOne = false): readonly string[] {
    if (this.#open.has(kind)) return []
    if (this.#isFinished || (isOne && this.#ended.has(kind))) this.#isOverlapping = true
    const closed = this.#isOverlapping ? [] : this.#endAll()
    this.#open.set(kind, new Set())
    return closed
  }

  /** The channel of a text; its kind has begun. */
  channel(kind: string, path: string): string {
    const ended = this.#ended.get(kind) ?? 0
    const channel = `${this.#prefix}/${path}${ended > 0 ? `~${String(ended)}` : ''}`
    this.#open.get(kind)?.add(channel)
    return channel
  }

  /** All of them are over, says somebody who may say so again. */
  finish(): readonly string[] {
    if (this.#isOverlapping) return []
    this.#isFinished = true
    return this.#endAll()
  }

  #endAll(): readonly string[] {
    const channels: string[] = []
    for (const [kind, open] of this.#open) {
      this.#ended.set(kind, (this.#ended.get(kind) ?? 0) + 1)
      channels.push(...open)
    }
    this.#open.clear()
    return channels
  }
}
