import { isSameVariable } from '../resources/same-variable.ts'

/**
 * The header fields of a message, in the order they came, repeats included. Names are lower-case; `spelling` keeps the
 * original case where it must be restored.
 *
 * A flat array of name, value, name, value … is what Node and undici take and give, so that an unmodified request is
 * forwarded without building anything. A scan over a dozen short strings is cheaper than a map built per message.
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

  /** From an object, for literals: names are lower-cased here. */
  static of(fields: Readonly<Record<string, string | readonly string[]>>): Headers {
    const headers = new Headers()
    for (const [name, value] of Object.entries(fields))
      for (const one of typeof value === 'string' ? [value] : value) headers.append(name.toLowerCase(), one)
    return headers
  }

  /**
   * The value; repeated values are joined as RFC 9110 §5.3 allows (`; ` for cookies). `name` is lower-case, here and
   * below.
   */
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

  /** Appends a value without looking at other fields. */
  append(name: string, value: string): void {
    this.raw.push(name, value)
  }

  /** Appends a value and deletes other spellings of the name, as `set` does. */
  add(name: string, value: string, spared = none): void {
    this.#deleteTwins(name, spared)
    this.raw.push(name, value)
  }

  /**
   * Replaces all values with one, in the position of the first. Other spellings that servers read as the same name are
   * deleted: a client that sends `x_user` must not override the `x-user` set here. Looking for them costs 30 ns with a
   * dozen fields.
   *
   * @param spared Names that are not deleted: those that the same caller sets as well.
   */
  set(name: string, value: string, spared = none): void {
    const { raw } = this
    let at = -1
    let isAlone = true
    for (let i = 0; i < raw.length; i += 2) {
      const other = raw[i] as string
      if (other === name) {
        if (at < 0) at = i
        else isAlone = false
      } else if (other.length === name.length && isSameVariable(other, name)) isAlone = false
    }
    if (at < 0) raw.push(name, value)
    else raw[at + 1] = value
    if (isAlone) return
    let isFirst = true
    this.#deleteWhere((other) => {
      if (other !== name) return isSameVariable(other, name) && !spared.includes(other)
      const goes = !isFirst
      isFirst = false
      return goes
    })
  }

  /**
   * Deletes a field, and spellings with an underscore that servers read as the same name. Deleting `x_user` keeps
   * `x-user`, which is a name of its own.
   */
  delete(name: string, spared = none): void {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) {
      const other = raw[i] as string
      if (other !== name && !(other.length === name.length && isSameVariable(other, name))) continue
      this.#deleteWhere(
        (one) => one === name || (isSameVariable(one, name) && one.includes('_') && !spared.includes(one)),
      )
      return
    }
  }

  /** Name and value of every field, repeats included. */
  *entries(): Generator<[name: string, value: string]> {
    for (let i = 0; i < this.raw.length; i += 2) yield [this.raw[i] as string, this.raw[i + 1] as string]
  }

  clone(): Headers {
    return new Headers(this.raw.slice(), this.spelling)
  }

  /** The flat array with names in the case to send over HTTP/1.1. */
  spelled(): string[] {
    const { spelling, raw } = this
    return spelling ? raw.map((part, i) => (i % 2 ? part : (spelling.get(part) ?? part))) : raw
  }

  #deleteTwins(name: string, spared: readonly string[]): void {
    const { raw } = this
    for (let i = 0; i < raw.length; i += 2) {
      const other = raw[i] as string
      if (other.length !== name.length || !isSameVariable(other, name)) continue
      this.#deleteWhere((one) => isSameVariable(one, name) && !spared.includes(one))
      return
    }
  }

  #deleteWhere(goes: (name: string) => boolean): void {
    const { raw } = this
    let kept = 0
    for (let i = 0; i < raw.length; i += 2) {
      if (goes(raw[i] as string)) continue
      raw[kept] = raw[i] as string
      raw[kept + 1] = raw[i + 1] as string
      kept += 2
    }
    while (raw.length > kept) raw.pop()
  }
}

const none: readonly string[] = []
