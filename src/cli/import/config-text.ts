import { randomUUID } from 'node:crypto'

/** Marks references to variables until a file is written: no text of an imported file contains it. */
const MARK = `<${randomUUID()}>`

/** A reference to an environment variable, for a value of an imported configuration. */
export const variable = (name: string, fallback?: string): string =>
  `${MARK}{${name}${fallback === undefined ? '' : `:-${fallback}`}}`

/** A value as a configuration file has it: `$` has no special meaning, except in references made by `variable`. */
export const escapedText = (text: string): string => text.replaceAll('$', '$$$$').replaceAll(MARK, '$')

/** A string literal of an expression. */
export const celString = (text: string): string => JSON.stringify(text)

/**
 * The name of an environment variable for a secret.
 *
 * @example
 * variableName('gpt-4o', 'API_KEY') // 'GPT_4O_API_KEY'
 */
export const variableName = (...parts: readonly string[]): string => {
  const name = parts
    .map((part) => part.replaceAll(/[^A-Za-z0-9]+/g, '_').replaceAll(/^_+|_+$/g, ''))
    .filter((part) => part !== '')
    .join('_')
    .toUpperCase()
  return /^[A-Z_]/.test(name) ? name : `_${name}`
}

/** A rule that refuses every request, in place of one that cannot be carried over. */
export const denyEverything = (): { rules: { deny: string }[] } => ({ rules: [{ deny: 'true' }] })

/**
 * Seconds as a duration of a configuration file.
 *
 * @example
 * secondsText(0.5) // '500ms'
 */
export const secondsText = (count: number): string =>
  Number.isInteger(count) ? `${String(count)}s` : `${String(Math.max(1, Math.round(count * 1000)))}ms`
