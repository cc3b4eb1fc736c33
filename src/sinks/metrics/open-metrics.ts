import type { MetricDefinition } from './definitions.ts'

/** The lines that describe a metric. */
export const describe = ({ name, help, type }: MetricDefinition): string => {
  const unit = /_(seconds|bytes)$/.exec(name)?.[1]
  return `# HELP ${name} ${escaped(help)}\n# TYPE ${name} ${type}\n${unit ? `# UNIT ${name} ${unit}\n` : ''}`
}

/** Labels and their values, without the braces; `unknown` where there is none. */
export const labelText = (names: readonly string[], values: readonly (string | undefined)[]): string =>
  names.map((name, i) => `${name}="${escaped(values[i] ?? 'unknown')}"`).join(',')

/** One sample. `labels` come without braces and may be empty. */
export const sample = (name: string, labels: string, value: number): string =>
  labels === '' ? `${name} ${value}\n` : `${name}{${labels}} ${value}\n`

/** A bound as it is written: always with a fraction, so that it compares equal everywhere. */
export const boundText = (bound: number): string => {
  const text = bound < 0.0001 ? bound.toFixed(5) : String(bound)
  return text.includes('.') ? text : `${text}.0`
}

const escaped = (text: string): string =>
  /[\\"\n]/.test(text) ? text.replace(/[\\"\n]/g, (one) => (one === '\n' ? '\\n' : `\\${one}`)) : text
