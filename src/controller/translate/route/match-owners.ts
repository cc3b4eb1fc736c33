/** Parents that are looked at together: a route mostly has the same host names at all of its listeners. */
export interface Parents {
  /** Equal for equal keys. */
  readonly id: string
  readonly keys: readonly string[]
}

/**
 * Which route has which matches, each with a host name, at which parents. The first route that claims a match has it.
 * Matches are kept once for all parents of a route, and apart by parent only where routes with other parents claim them.
 */
export class MatchOwners {
  readonly #claims = new Map<string, Claim | Map<string, string>>()
  #count = 0

  /** What claiming has cost so far: matches, and parents of matches that are kept apart. */
  get count(): number {
    return this.#count
  }

  /** Claims matches for a route. Returns the routes that have some of them already, and the parents where they do. */
  claim(
    route: string,
    { id, keys }: Parents,
    matches: readonly string[],
  ): ReadonlyMap<string, readonly string[]> {
    const parents = { id, keys }
    const claim: Claim = { route, parents }
    /** The owner that was found first, by parent. */
    const found = new Map<string, string>()
    let everywhere: string | undefined
    for (const match of matches) {
      this.#count++
      const known = this.#claims.get(match)
      if (known === undefined) this.#claims.set(match, claim)
      else if (!(known instanceof Map) && known.parents.id === id) {
        if (known.route !== route && found.size === 0) everywhere ??= known.route
        else if (known.route !== route) this.#add(found, keys, () => known.route)
      } else {
        const byParent = this.#apart(match, known)
        const ownerOf = (key: string): string | undefined => {
          const owner = byParent.get(key)
          if (owner === undefined) byParent.set(key, route)
          return owner === route ? undefined : owner
        }
        const first = everywhere === undefined ? found : new Map<string, string>()
        this.#add(first, keys, ownerOf)
      }
    }
    if (everywhere !== undefined) return new Map([[everywhere, keys]])
    const byOwner = new Map<string, string[]>()
    for (const [key, owner] of found) {
      const parentsOfOwner = byOwner.get(owner)
      if (parentsOfOwner) parentsOfOwner.push(key)
      else byOwner.set(owner, [key])
    }
    return byOwner
  }

  #add(
    found: Map<string, string>,
    keys: readonly string[],
    ownerOf: (key: string) => string | undefined,
  ): void {
    this.#count += keys.length
    for (const key of keys) {
      const owner = ownerOf(key)
      if (owner !== undefined && !found.has(key)) found.set(key, owner)
    }
  }

  #apart(match: string, known: Claim | Map<string, string>): Map<string, string> {
    if (known instanceof Map) return known
    this.#count += known.parents.keys.length
    const byParent = new Map(known.parents.keys.map((key) => [key, known.route]))
    this.#claims.set(match, byParent)
    return byParent
  }
}

interface Claim {
  readonly route: string
  readonly parents: Parents
}
