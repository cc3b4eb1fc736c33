/**
 * The channels of a stream that says by number what a piece belongs to, and what is over. A number that is used once more
 * is another text's.
 */
export class BlockChannels {
  /** Channels by what ends them. */
  readonly #open = new Map<string, Set<string>>()
  readonly #ended = new Map<string, number>()

  /**
   * @param block By its number, and by that of what it is in: `1`, `0/2`.
   * @param path Which of the texts of the block.
   */
  channel(block: string, path: string): string {
    const ended = this.#ended.get(block) ?? 0
    const channel = `${block}/${path}${ended > 0 ? `~${String(ended)}` : ''}`
    const open = this.#open.get(block)
    if (open) open.add(channel)
    else this.#open.set(block, new Set([channel]))
    return channel
  }

  /** @returns The channels that are over: those of the blocks whose names are this, or begin with it and a slash. */
  end(name: string): readonly string[] {
    const channels: string[] = []
    for (const [block, open] of this.#open)
      if (block === name || block.startsWith(`${name}/`)) {
        channels.push(...open)
        this.#open.delete(block)
        this.#ended.set(block, (this.#ended.get(block) ?? 0) + 1)
      }
    return channels
  }

  /** Ends blocks of names that do not come again. */
  remove(name: string): readonly string[] {
    const channels = this.end(name)
    for (const block of this.#ended.keys()) if (block.startsWith(`${name}/`)) this.#ended.delete(block)
    return channels
  }
}

/** A number or an id as a part of a name; empty if it is neither. */
export const idOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
