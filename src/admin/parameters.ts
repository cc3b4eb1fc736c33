/** A query parameter of an admin endpoint. */
export interface AdminParameter {
  readonly name: string
  /** What it does, for the index page; with its default. */
  readonly summary: string
  /** The allowed values; default any text. */
  readonly values?: readonly string[] | WholeNumbers
}

/** A range of whole numbers, its ends included. */
export interface WholeNumbers {
  readonly from: number
  readonly to: number
}

/** Values of a parameter that is on or off. */
export const flagValues: readonly string[] = ['true', 'false']

/**
 * Checks a query against the declared parameters: none that is not declared, none twice, and only allowed values.
 *
 * @returns The error, which names what is allowed, or undefined.
 * @example
 * wrongParameter(new URLSearchParams('secnds=1'), [{ name: 'seconds', summary: 'how long' }])
 * // 'unknown parameter: secnds; known are seconds'
 */
export const wrongParameter = (
  query: URLSearchParams,
  declared: readonly AdminParameter[],
): string | undefined => {
  const seen = new Set<string>()
  for (const [name, value] of query) {
    const parameter = declared.find((one) => one.name === name)
    if (!parameter) return unknownParameter(name, declared)
    if (seen.has(name)) return `parameter given twice: ${name}`
    seen.add(name)
    if (!isAllowed(value, parameter.values)) return `${name} must be ${allowedValues(parameter.values)}`
  }
  return undefined
}

const unknownParameter = (name: string, declared: readonly AdminParameter[]): string => {
  const known = declared.map((one) => one.name).join(', ')
  return `unknown parameter: ${shortened(name)}; ${known === '' ? 'there are none' : `known are ${known}`}`
}

const isAllowed = (value: string, values: AdminParameter['values']): boolean => {
  if (values === undefined) return true
  if (!('from' in values)) return values.includes(value)
  return /^\d{1,15}$/.test(value) && Number(value) >= values.from && Number(value) <= values.to
}

/** The allowed values in words: `true or false`, `a whole number from 1 to 300`. */
export const allowedValues = (values: AdminParameter['values']): string => {
  if (values === undefined) return 'a text'
  if ('from' in values) return `a whole number from ${values.from} to ${values.to}`
  return new Intl.ListFormat('en', { type: 'disjunction' }).format(values.map((value) => value || 'empty'))
}

/** The name may be as long as a request head allows. */
const shortened = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}…` : name)
