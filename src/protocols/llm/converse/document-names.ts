/**
 * Names the documents of a request. Bedrock requires a name for each, of letters, digits, single spaces, hyphens and
 * brackets, and refuses duplicates.
 */
export class DocumentNames {
  readonly #used = new Set<string>()
  /** By name, the number of its next copy. */
  readonly #copies = new Map<string, number>()
  #count = 0

  /** @param name The client's name for it. */
  next(name: string | undefined): string {
    this.#count++
    const allowed = name
      ?.replaceAll(/[^\p{L}\p{N}\s()[\]-]/gu, '-')
      .replaceAll(/\s+/g, ' ')
      .slice(0, LONGEST)
      .trim()
    const candidate = allowed === undefined || allowed === '' ? `document-${this.#count}` : allowed
    const key = candidate.toLowerCase()
    let free = candidate
    while (this.#used.has(free.toLowerCase())) {
      const copy = this.#copies.get(key) ?? 2
      this.#copies.set(key, copy + 1)
      free = `${candidate} (${copy})`
    }
    this.#used.add(free.toLowerCase())
    return free
  }
}

/** Bedrock allows 200 characters, of which a suffix may need some. */
const LONGEST = 180
