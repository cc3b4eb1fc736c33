/** A position in a source, counted from 0. */
export interface SourcePosition {
  readonly source: string
  readonly line: number
  readonly column: number
}

/**
 * A source map as numbers: a tenth of the memory of Node's own class, which a gateway that prints one stack would keep
 * forever.
 */
export class SourceMapTable {
  readonly #sources: readonly string[]
  /** For each line of the script the index of its first entry, and the number of entries at the end. */
  readonly #starts: Int32Array
  /** Of each entry: column of the script, source, line and column of the source; the source is -1 if there is none. */
  readonly #entries: Int32Array

  constructor({ sources, mappings }: { readonly sources: readonly string[]; readonly mappings: string }) {
    this.#sources = sources
    const { starts, entries } = decode(mappings)
    this.#starts = starts
    this.#entries = entries
  }

  /** The last entry of a line at or before a column, both from 0; undefined if there is none, or it has no source. */
  find(line: number, column: number): SourcePosition | undefined {
    let low = this.#starts[line] ?? 0
    let high = (this.#starts[line + 1] ?? 0) - 1
    if (high < low || this.#number(low, 0) > column) return undefined
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if (this.#number(middle, 0) <= column) low = middle
      else high = middle - 1
    }
    const source = this.#sources[this.#number(low, 1)]
    return source === undefined
      ? undefined
      : { source, line: this.#number(low, 2), column: this.#number(low, 3) }
  }

  #number(entry: number, field: number): number {
    return this.#entries[entry * FIELDS + field] ?? 0
  }
}

const FIELDS = 4
const [COMMA, SEMICOLON] = [44, 59]

/** Lines end with `;` and entries with `,`. The numbers of an entry are differences: VLQ, five bits a digit. */
const decode = (mappings: string): { readonly starts: Int32Array; readonly entries: Int32Array } => {
  const starts = [0]
  const entries = new Int32Array(FIELDS * (mappings.length - mappings.replaceAll(/[,;]/g, '').length + 1))
  const last = new Int32Array(FIELDS)
  let [count, field, digits, shift] = [0, 0, 0, 0]
  const endEntry = (): void => {
    if (field === 0) return
    entries.set(last, count * FIELDS)
    if (field === 1) entries[count * FIELDS + 1] = NO_SOURCE
    count++
    field = 0
  }
  for (let i = 0; i < mappings.length; i++) {
    const code = mappings.charCodeAt(i)
    if (code === COMMA || code === SEMICOLON) {
      endEntry()
      if (code === COMMA) continue
      starts.push(count)
      last[0] = 0
      continue
    }
    const digit = VALUES[code] ?? 0
    digits |= (digit & 31) << shift
    shift += 5
    if (digit & 32) continue
    // The fifth number is the index of a name.
    if (field < FIELDS) last[field] = (last[field] ?? 0) + (digits & 1 ? -(digits >>> 1) : digits >>> 1)
    field++
    digits = shift = 0
  }
  endEntry()
  starts.push(count)
  return { starts: Int32Array.from(starts), entries: entries.slice(0, count * FIELDS) }
}

const NO_SOURCE = -1

const VALUES = new Uint8Array(128)
for (const [value, digit] of Buffer.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
  VALUES[digit] = value
