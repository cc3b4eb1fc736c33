import { RE2JS, RE2JSSyntaxException } from 're2js'
import { parseDuration } from './duration.ts'
import type { Check } from './complaint.ts'

/** Says what is wrong with a CEL expression, nothing if it compiles. */
export type CheckCel = (text: string) => string | undefined

export function celCheck(check: CheckCel): Check {
  return (text) => {
    const wrong = text.trim() === '' ? 'it is empty' : check(text)
    return wrong === undefined ? undefined : { expectation: `is not a valid expression: ${wrong}` }
  }
}

/** A duration, or an expression that gives one. */
export function durationOrCelCheck(check: CheckCel): Check {
  const cel = celCheck(check)
  return (text) => (parseDuration(text) === undefined && cel(text) !== undefined ? BOTH : undefined)
}

const BOTH = { expectation: 'must be a duration such as 2s, or an expression that gives one' }

/** A regular expression that runs in linear time: the syntax of RE2, without look-around and back-references. */
export const regex: Check = (text) => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const part = String(error.getPattern() ?? '')
    const at = part === '' ? -1 : text.indexOf(part)
    const where = at < 0 ? '' : ` at character ${String([...text.slice(0, at)].length + 1)}`
    const why = String(error.getDescription() ?? 'cannot be parsed')
    return {
      expectation: `is not a valid regular expression: ${why}${where}`,
      ...(/\(\?[=!<]|\\[1-9]/.test(text)
        ? {
            hint: 'look-around and back-references are not supported, because they can take exponential time',
          }
        : {}),
    }
  }
}
