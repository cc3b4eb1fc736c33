/** Labels and their values, without braces; absent values are `unknown`. */
export const labelText = (names: readonly string[], values: readonly (string | undefined)[]): string =>
  names.map((name, i) => `${name}="${escaped(values[i] ?? 'unknown')}"`).join(',')

/** A name as a label may have it. */
export const labelName = (name: string): string => name.replace(/[^a-zA-Z0-9_]/g, '_')

/** The labels of the series that counts what has no room of its own. */
export const overflowLabels = (names: readonly string[]): string =>
  labelText(
    names,
    names.map(() => OVERFLOW),
  )

/** The value of a label that has too many values, and of all labels where there are too many series. */
export const OVERFLOW = 'overflow'

/** Names and values, without escapes. */
export const labelPairs = (labels: string): readonly (readonly [name: string, value: string])[] => {
  const pairs: [string, string][] = []
  for (let at = 0; at < labels.length;) {
    const equals = labels.indexOf('=', at)
    let end = equals + 2
    let isEscaped = false
    while (end < labels.length && labels[end] !== '"') {
      if (labels[end] === '\\') {
        isEscaped = true
        end++
      }
      end++
    }
    const value = labels.slice(equals + 2, end)
    pairs.push([labels.slice(at, equals), isEscaped ? unescaped(value) : value])
    at = end + 2
  }
  return pairs
}

const unescaped = (value: string): string =>
  value.replaceAll(/\\(.)/gs, (_, one: string) => (one === 'n' ? '\n' : one))

/**
 * An escaped label value. Only three characters have escapes; other control characters are written in hexadecimal
 * notation, because parsers take a NUL for the end of the text and a CR for the end of a line.
 */
const escaped = (text: string): string =>
  special.test(text) ? text.replace(specials, (one) => escapes.get(one) ?? hex(one)) : text

const special = /[\\"\x00-\x1f\x7f]/
const specials = new RegExp(special, 'g')

const escapes: ReadonlyMap<string, string> = new Map([
  ['\n', '\\n'],
  ['"', '\\"'],
  ['\\', '\\\\'],
  ['\t', '\t'],
  ['\r', '\\\\r'],
])

const hex = (one: string): string => `\\\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`
