/**
 * What of a stream is read as one although it stands in several blocks: those of one kind that follow each other, with
 * nothing of another kind in between.
 */
export class TextRuns {
  readonly #prefix: string
  #kind = ''
  #count = 0
  /** Names that have been given since the last block of another kind. */
  #names = new Set<string>()

  /** @param prefix Sets the names apart from those of others. */
  constructor(prefix = '') {
    this.#prefix = prefix
  }

  /**
   * A block begins.
   *
   * @param kind What it is.
   * @returns The stretches that are over by that.
   */
  begin(kind: string): readonly string[] {
    if (kind === this.#kind) return none
    this.#kind = kind
    return this.end()
  }

  /** The stretch that a text belongs to now, by what it is. */
  of(what: string): string {
    const name = `${this.#prefix}stretch ${String(this.#count)} ${what}`
    this.#names.add(name)
    return name
  }

  /** @returns The stretches that are over. */
  end(): readonly string[] {
    const over = [...this.#names]
    this.#names = new Set()
    this.#count++
    return over
  }
}

const none: readonly never[] = []
