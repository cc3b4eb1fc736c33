/**
 * The header fields of a message, in the order they came, repeats included. Names are lower-case; what they were called
 * on the wire is kept in `spelling` only where it is wanted back.
 *
 * A flat array of name, value, name, value … is what Node and undici take and give, so that a request nobody rewrites
 * is forwarded without building anything. A scan over a dozen short strings is cheaper than a map built per message.
 */
export class Headers {
  /** Name, value, name, value …; names lower-case. */
  readonly raw: string[]
  /** Lower-case name → the spelling to send; only for `http1HeaderCase: preserve`. */
  spelling: Map<string, string> | undefined

  constructor(raw: string[] = [], spelling?: Map<string, string>) {
    this.raw = raw
    this.spelling = spelling
  }

  /** From pairs, for literals: names are lower-cased here. */
  static of(fields: Readonly<Record<string, string | readonly string[]>>): Headers {
    const headers = new Headers()
    for (const [name, value] of Object.entries(fields))
      for (const one of typeof value === 'string' ? [value] : value) headers.append(name.toLowerCase(), one)
    return headers
  }

  /** The value; several are joined as RFC 9110 §5.3 allows (`; ` for cookies). `name` is lower-case, here and below. */
  get(name: string): string | undefined {
    const { raw } = this
    let found: string | undefined
    for (let i = 0; i < raw.length; i += 2) {
      if (raw[i] !== name) continue
      const value = raw[i + 1] as string
      found = found === undefined ? value : `${found}${name === 'cookie' ? '; ' : ', '}${value}`
    }
    return found
  }

  /** Every value, in order. */
  all(name: string): string[] {
    const values: string[] = []
    for (let i = 0; i < this.raw.length; i += 2)
      if (this.raw[i] === name) values.push(this.raw[i + 1] as string)
    return values
  }

  has(name: string): boolean {
    for (let i = 0; i < this.raw.length; i += 2) if (this.raw[i] === name) return true
    return false
  }

  append(name: string, value: string): void {
    this.raw.push(name, value)
  }

  /** One value in place of all there were; the field keeps its place if there was one. */
  set(name: string, value: string): void {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) {
      if (raw[i] !== name) continue
      raw[i + 1] = value
      this.#removeFrom(i + 2, name)
      return
    }
    raw.push(name, value)
  }

  delete(name: string): void {
    this.#removeFrom(0, name)
  }

  /** Name and value of every field, repeats included. */
  *entries(): Generator<[name: string, value: string]> {
    for (let i = 0; i < this.raw.length; i += 2) yield [this.raw[i] as string, this.raw[i + 1] as string]
  }

  clone(): Headers {
    return new Headers(this.raw.slice(), this.spelling)
  }

  /** The flat array as it should be spelled on an HTTP/1.1 wire. */
  spelled(): string[] {
    const { spelling, raw } = this
    return spelling ? raw.map((part, i) => (i % 2 ? part : (spelling.get(part) ?? part))) : raw
  }

  #removeFrom(start: number, name: string): void {
    const { raw } = this
    let i = start
    while (i < raw.length && raw[i] !== name) i += 2
    let kept = i
    for (i += 2; i < raw.length; i += 2) {
      if (raw[i] === name) continue
      raw[kept] = raw[i] as string
      raw[kept + 1] = raw[i + 1] as string
      kept += 2
    }
    // Most of the time there is nothing to remove, and setting a length takes V8 a while, even to what it was.
    while (raw.length > kept) raw.pop()
  }
}
