/**
 * The channels of texts that follow each other without end marks, such as thinking, text and tool calls: when one begins,
 * the others end. If they turn out to overlap, none ends before the stream does.
 */
export class OneAtATime {
  readonly #prefix: string
  /** Channels by the kind of text. */
  readonly #open = new Map<string, Set<string>>()
  /** How often a kind of text has ended. */
  readonly #ended = new Map<string, number>()
  #isOverlapping = false
  #isFinished = false

  /** @param prefix Makes the names of the channels unique. */
  constructor(prefix: string) {
    this.#prefix = prefix
  }

  /**
   * @param isOne The kind has a single text, which cannot continue after its end.
   * @returns The channels that end.
   */
  begin(kind: string, isOne = false): readonly string[] {
    if (this.#open.has(kind)) return []
    if (this.#isFinished || (isOne && this.#ended.has(kind))) this.#isOverlapping = true
    const closed = this.#isOverlapping ? [] : this.#endAll()
    this.#open.set(kind, new Set())
    return closed
  }

  /** The channel of a text whose kind has begun. */
  channel(kind: string, path: string): string {
    const ended = this.#ended.get(kind) ?? 0
    const channel = `${this.#prefix}/${path}${ended > 0 ? `~${String(ended)}` : ''}`
    this.#open.get(kind)?.add(channel)
    return channel
  }

  /** Ends all texts unless they overlap. May be called more than once. */
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
