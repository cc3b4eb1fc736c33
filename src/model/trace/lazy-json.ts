/**
 * An object or a list whose parts are made lazily: thousands of them are written one by one, without building all parts
 * or keys first. `JSON.stringify` writes it like the equivalent plain data.
 *
 * @example
 * JSON.stringify(lateByKey([{ key: 'a' }], ({ key }) => ({ name: key }))) // '{"a":{"name":"a"}}'
 */
export class LateParts {
  readonly isList: boolean
  readonly length: number
  readonly #parts: () => Iterable<readonly [key: string, part: unknown]>

  constructor(isList: boolean, length: number, parts: () => Iterable<readonly [key: string, part: unknown]>) {
    this.isList = isList
    this.length = length
    this.#parts = parts
  }

  /** Makes each part when it is iterated; the keys of a list are its indices. */
  [Symbol.iterator](): Iterator<readonly [key: string, part: unknown]> {
    return this.#parts()[Symbol.iterator]()
  }

  toJSON(): unknown {
    return this.isList ? Array.from(this, ([, part]) => part) : Object.fromEntries(this)
  }
}

/** An object of things by their keys. */
export const lateByKey = <T extends { readonly key: string }>(
  things: readonly T[],
  make: (thing: T) => unknown,
): LateParts =>
  new LateParts(false, things.length, function* () {
    for (const thing of things) yield [thing.key, make(thing)]
  })

/** A list of things in order. */
export const lateList = <T>(things: readonly T[], make: (thing: T) => unknown): LateParts =>
  new LateParts(true, things.length, function* () {
    for (const [i, thing] of things.entries()) yield [String(i), make(thing)]
  })
