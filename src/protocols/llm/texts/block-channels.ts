/**
 * The channels of a stream whose events number the blocks that they continue or end. A number that is used again belongs
 * to another text.
 */
export class BlockChannels {
  /** Open channels by the block that ends them. */
  readonly #open = new Map<string, Set<string>>()
  readonly #ended = new Map<string, number>()

  /**
   * @param block The number of the block, after that of its container if it has one: `1`, `0/2`.
   * @param path The path of the text in the block.
   */
  channel(block: string, path: string): string {
    const ended = this.#ended.get(block) ?? 0
    const channel = `${block}/${path}${ended > 0 ? `~${String(ended)}` : ''}`
    const open = this.#open.get(block)
    if (open) open.add(channel)
    else this.#open.set(block, new Set([channel]))
    return channel
  }

  /** @returns The channels that end: those of the block `name` and of blocks whose names begin with it and a slash. */
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

  /** Ends blocks whose names are not used again. */
  remove(name: string): readonly string[] {
    const channels = this.end(name)
    for (const block of this.#ended.keys()) if (block.startsWith(`${name}/`)) this.#ended.delete(block)
    return channels
  }
}

/** A number or an id as part of a name; empty for any other value. */
export const idOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''
