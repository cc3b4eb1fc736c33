import { levelNamed, logLevels } from '../../model/log/log-level.ts'
import type { FormatCheck } from './format-check.ts'

/** A level, or a list with levels for parts of the program, such as `info,config=debug`. */
export const logLevel: FormatCheck = (text) => {
  for (const directive of text.split(',')) {
    const level = directive.slice(directive.indexOf('=') + 1).trim()
    const part = directive.slice(0, Math.max(0, directive.indexOf('=')))
    if (!levelNamed(level.toLowerCase()) || (directive.includes('=') && part.trim() === '')) {
      return { expectation: `must be one of ${logLevels.join(', ')}, or a list such as info,config=debug` }
    }
  }
  return undefined
}
