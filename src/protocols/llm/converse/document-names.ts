/**
 * Names the documents of a request. Bedrock needs a name for each, of letters, digits, single spaces, hyphens and brackets,
 * and refuses a request in which two have the same.
 */
export class DocumentNames {
  readonly #used = new Set<string>()
  /** By name, the number that its next copy gets. */
  readonly #copies = new Map<string, number>()
  #count = 0

  /** @param name What the client calls it. */
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

/** Bedrock allows 200 letters, of which a number may need some. */
const LONGEST = 180
