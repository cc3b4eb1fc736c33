/**
 * An object or a list whose parts are made when their turn comes: thousands of them are written one by one, and neither
 * all made nor all named beforehand. `JSON.stringify` writes it like the plain data it stands for.
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

  /** Makes each part as it is asked for; those of a list have their number as key. */
  [Symbol.iterator](): Iterator<readonly [key: string, part: unknown]> {
    return this.#parts()[Symbol.iterator]()
  }

  toJSON(): unknown {
    return this.isList ? Array.from(this, ([, part]) => part) : Object.fromEntries(this)
  }
}

/** Things by their keys. */
export const lateByKey = <T extends { readonly key: string }>(
  things: readonly T[],
  make: (thing: T) => unknown,
): LateParts =>
  new LateParts(false, things.length, function* () {
    for (const thing of things) yield [thing.key, make(thing)]
  })

/** Things in their order. */
export const lateList = <T>(things: readonly T[], make: (thing: T) => unknown): LateParts =>
  new LateParts(true, things.length, function* () {
    for (const [i, thing] of things.entries()) yield [String(i), make(thing)]
  })
