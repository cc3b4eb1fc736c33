import { escapeFate, escapeFates, escapedByte, plainCharacters } from './path-characters.ts'
import type { PathRules, TargetRefusal } from './path-rules.ts'

/** Normalises a path character by character; `refusal` is set as soon as it cannot be forwarded. */
export class PathBuilder {
  refusal: TargetRefusal | undefined = undefined
  readonly #rules: PathRules
  readonly #segments: string[] = []
  #segment = ''
  #leadByte = 0

  constructor(rules: PathRules) {
    this.#rules = rules
  }

  /** The normal form of a path that begins with a slash. */
  build(path: string): string {
    for (let i = 1; i < path.length && this.refusal === undefined; i++) {
      const code = path.charCodeAt(i)
      if (code === SLASH) this.#endSegment(false)
      else if (code === PERCENT) {
        this.#byte(escapedByte(path, i), true)
        i += 2
      } else if (plainCharacters[code] === 1) this.#plain(code)
      else this.#byte(code, false)
    }
    if (this.refusal === undefined) this.#endSegment(true)
    return `/${this.#segments.join('/')}`
  }

  #plain(code: number): void {
    this.#segment += String.fromCharCode(code)
    this.#leadByte = 0
  }

  /** A byte of an escape, or a raw character that must be escaped here. */
  #byte(byte: number, escaped: boolean): void {
    if (byte < 0) this.refusal = 'target_malformed_escape'
    else if (byte > 0xff) this.refusal = 'malformed_target'
    else if (byte === HASH && !escaped) this.refusal = 'target_fragment'
    else if (escapeFates[byte] === escapeFate.control || (byte === 0x20 && !escaped))
      this.refusal = 'target_control_character'
    else if (escapeFates[byte] === escapeFate.separator && this.#rules.encodedSlashes === 'refuse')
      this.refusal = 'target_encoded_slash'
    else if (isOverlong(this.#leadByte, byte)) this.refusal = 'target_overlong_escape'
    else if (escapeFates[byte] === escapeFate.decoded) this.#plain(byte)
    else {
      // Always two digits: bytes below 16 are control characters and were refused above.
      this.#segment += `%${byte.toString(16).toUpperCase()}`
      this.#leadByte = byte
    }
  }

  #endSegment(last: boolean): void {
    const segment = this.#segment
    this.#segment = ''
    this.#leadByte = 0
    if (ambiguousDots.test(segment)) {
      this.refusal = 'target_ambiguous_dot_segment'
    } else if (segment === '.' || segment === '..') {
      if (segment === '..') this.#segments.pop()
      if (last) this.#segments.push('')
    } else if (segment !== '' || last || !this.#rules.mergeSlashes) {
      this.#segments.push(segment)
    }
  }
}

/** UTF-8 that encodes a short character with too many bytes, such as `%C0%AF` for a slash. */
const isOverlong = (lead: number, byte: number): boolean => {
  if (byte < 0x80 || byte > 0xbf) return false
  return lead === 0xc0 || lead === 0xc1 || (lead === 0xe0 && byte < 0xa0) || (lead === 0xf0 && byte < 0x90)
}

/** Dots with parameters, or dots beside an encoded slash: some servers read a dot segment, others a name. */
const ambiguousDots = /(?:^|%2F|%5C)\.\.?(?:;|%3B|%2F|%5C)|(?:%2F|%5C)\.\.?$/

const SLASH = 0x2f
const PERCENT = 0x25
const HASH = 0x23
