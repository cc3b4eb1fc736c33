import type { MetricDefinition } from './definitions.ts'

/** The metadata lines of a metric. */
export const describeMetric = ({ name, help, type }: MetricDefinition): string => {
  const unit = /_(seconds|bytes)$/.exec(name)?.[1]
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}`
}

/** Labels and their values, without braces; absent values are `unknown`. */
export const labelText = (names: readonly string[], values: readonly (string | undefined)[]): string =>
  names.map((name, i) => `${name}="${escaped(values[i] ?? 'unknown')}"`).join(',')

/** One sample. `labels` come without braces and may be empty. */
export const sample = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`

/** A bucket bound as text, always with a fraction, so that equal bounds have equal texts. */
export const boundText = (bound: number): string => {
  const text = bound < 0.0001 ? bound.toFixed(5) : String(bound)
  return text.includes('.') ? text : `${text}.0`
}

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
