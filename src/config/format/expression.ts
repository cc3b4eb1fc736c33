import { RE2JS, RE2JSSyntaxException } from 're2js'
import { CelError } from '../../cel/cel-error.ts'
import { compile } from '../../cel/compile.ts'
import { noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { Check } from './complaint.ts'
import { celComplaint, functionsAtHand } from './custom-functions.ts'
import { parseDuration } from './duration.ts'

/** A CEL expression, of any type. */
export const cel: Check = (text) => compiles(text, undefined)

/** A CEL expression that is true or false. */
export const celBool: Check = (text) => compiles(text, ['bool'])

/** A CEL expression about a request, that is true or false, and is asked before there is an answer. */
export const celRule: Check = (text) => compiles(text, ['bool'], 'response')

/** A CEL expression that gives a text. */
export const celText: Check = (text) => compiles(text, ['string'])

/** A duration, or an expression that gives one or a number of milliseconds. */
export const durationOrCel: Check = (text) => {
  if (parseDuration(text) !== undefined || cel(text) === undefined) return undefined
  return { expectation: 'must be a duration such as 2s, or an expression that gives one' }
}

function compiles(text: string, types: readonly string[] | undefined, absent = ''): ReturnType<Check> {
  try {
    const functions = functionsAtHand() ?? noCustomFunctions
    const { needs } = compile(text, { functions, ...(types === undefined ? {} : { types }) })
    return needs.variables.has(absent)
      ? { expectation: `must not read ${absent}: it is asked before there is one` }
      : undefined
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    // The definitions are wrong, which is reported: the function may be among them.
    if (!functionsAtHand() && error.problem.startsWith('unknown function')) return undefined
    return celComplaint('expression', error)
  }
}

/** A regular expression that runs in linear time: the syntax of RE2, without look-around and back-references. */
export const regex: Check = (text) => {
  try {
    RE2JS.compile(text)
    return undefined
  } catch (error) {
    if (!(error instanceof RE2JSSyntaxException)) throw error
    const part = error.getPattern() ?? ''
    const at = part === '' || part === text ? -1 : text.indexOf(part)
    const where = at < 0 ? '' : ` at character ${String(Array.from(text.slice(0, at)).length + 1)}`
    const why = error.getDescription()
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
