import type { FormatCheck } from './format-check.ts'

const LEVELS = ['off', 'error', 'warn', 'info', 'debug', 'trace']

/** A level, or a list with levels for parts of the program, such as `info,config=debug`. */
export const logLevel: FormatCheck = (text) => {
  for (const directive of text.split(',')) {
    const level = directive.slice(directive.indexOf('=') + 1).trim()
    const part = directive.slice(0, Math.max(0, directive.indexOf('=')))
    if (!LEVELS.includes(level.toLowerCase()) || (directive.includes('=') && part.trim() === '')) {
      return { expectation: `must be one of ${LEVELS.join(', ')}, or a list such as info,config=debug` }
    }
  }
  return undefined
}
