import { foldCase } from './fold-case.ts'
import type { JsonObject } from './json-object.ts'

/**
 * Names of members that the gateway reads. Many JSON readers match names in any letter case, and use the last one: they
 * read `Model` as `model`, alone or beside it. A policy that must read the same value has to refuse such a name.
 *
 * Costs a set lookup for a known name, and a test for capital letters for any other.
 */
export class CaseInsensitiveNames {
  readonly #names: ReadonlySet<string>
  readonly #byFold: ReadonlyMap<string, string>

  constructor(names: Iterable<string>) {
    this.#names = new Set(names)
    this.#byFold = new Map(Array.from(this.#names, (name) => [foldCase(name), name]))
  }

  /**
   * The known name that equals this one in another letter case; undefined if the name is known itself, or
   * unknown in any case.
   */
  likeOf(name: string): string | undefined {
    return this.#names.has(name) ? undefined : this.#byFold.get(foldCase(name))
  }

  /**
   * The problem of the first member whose name equals a known one in another letter case; undefined if there
   * is none.
   */
  problemIn(object: JsonObject): string | undefined {
    for (const name in object) {
      const like = this.likeOf(name)
      if (like !== undefined) return otherCase(name, like)
    }
    return undefined
  }
}

/** The message for such a member. */
export const otherCase = (name: string, like: string): string =>
  `the member ${JSON.stringify(name.slice(0, 64))} is ${JSON.stringify(like)} in another letter case`
