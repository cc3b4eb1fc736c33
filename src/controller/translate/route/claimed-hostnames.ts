/**
 * Host names, wildcards included, and who has claimed them. Finds who has one in common with another name in time that
 * depends on the labels of the name, not on the number of claims.
 */
export class ClaimedHostnames {
  #any: string | undefined = undefined
  #first: string | undefined = undefined
  readonly #names = new Map<string, string>()
  /** The suffixes that claimed wildcards stand for: `.example.com`. */
  readonly #wildcards = new Map<string, string>()
  /** Every suffix of a claimed name or wildcard. */
  readonly #suffixes = new Map<string, string>()

  /** Claims a name, or a wildcard, or all of them by an empty text. */
  claim(hostname: string, owner: string): void {
    this.#first ??= owner
    if (hostname === '') this.#any ??= owner
    else if (hostname.startsWith('*')) setOnce(this.#wildcards, hostname.slice(1), owner)
    else setOnce(this.#names, hostname, owner)
    for (const suffix of suffixesOf(hostname)) setOnce(this.#suffixes, suffix, owner)
  }

  /** An owner of a host that a name, a wildcard or an empty text stands for as well. */
  ownerOf(hostname: string): string | undefined {
    if (hostname === '') return this.#first
    if (this.#any !== undefined) return this.#any
    const own = hostname.startsWith('*') ? this.#suffixes.get(hostname.slice(1)) : this.#names.get(hostname)
    if (own !== undefined) return own
    for (const suffix of suffixesOf(hostname)) {
      const owner = this.#wildcards.get(suffix)
      if (owner !== undefined) return owner
    }
    return undefined
  }
}

/** `.b.c` and `.c` of `a.b.c`. */
const suffixesOf = (hostname: string): readonly string[] => {
  const suffixes: string[] = []
  for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1))
    suffixes.push(hostname.slice(dot))
  return suffixes
}

const setOnce = (map: Map<string, string>, key: string, value: string): void => {
  if (!map.has(key)) map.set(key, value)
}
