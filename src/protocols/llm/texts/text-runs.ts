/**
 * Names the runs of a stream: consecutive blocks of one kind, without another kind in between, whose texts are read as
 * one.
 */
export class TextRuns {
  readonly #prefix: string
  #kind = ''
  #count = 0
  /** Names given in the current run. */
  #names = new Set<string>()

  /** @param prefix Makes the names unique. */
  constructor(prefix = '') {
    this.#prefix = prefix
  }

  /**
   * Begins a block.
   *
   * @param kind The kind of the block.
   * @returns The names of the runs that this ends.
   */
  begin(kind: string): readonly string[] {
    if (kind === this.#kind) return none
    this.#kind = kind
    return this.end()
  }

  /** The name of the current run for a kind of text. */
  of(what: string): string {
    const name = `${this.#prefix}stretch ${String(this.#count)} ${what}`
    this.#names.add(name)
    return name
  }

  /** Ends the current run and returns its names. */
  end(): readonly string[] {
    const over = [...this.#names]
    this.#names = new Set()
    this.#count++
    return over
  }
}

const none: readonly never[] = []
