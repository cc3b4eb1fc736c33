import { RE2JS, RE2JSSyntaxException } from 're2js'
import { CelError } from '../../cel/cel-error.ts'
import { compile } from '../../cel/compile.ts'
import { connectionVariables } from '../../cel/connection-context.ts'
import { noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { Check } from './complaint.ts'
import { celComplaint, functionsAtHand } from './custom-functions.ts'
import { parseDuration } from './duration.ts'

/** A CEL expression, of any type. */
export const cel: Check = (text) => compiles(text, undefined)

/** A CEL expression that is true or false. */
export const celBool: Check = (text) => compiles(text, ['bool'])

/** A CEL expression about a request, that is true or false, and is asked before there is an answer. */
export const celRule: Check = (text) =>
  compiles(text, ['bool'], (name) =>
    name === 'response' ? 'must not read response: it is asked before there is one' : undefined,
  )

/** A CEL expression about a connection, that is true or false. */
export const celConnectionRule: Check = (text) =>
  compiles(text, ['bool'], (name) =>
    connectionVariables.some((one) => one === name)
      ? undefined
      : `must not read ${name}: of a connection there are ${connectionVariables.join(' and ')}`,
  )

/** A CEL expression that gives a text. */
export const celText: Check = (text) => compiles(text, ['string'])

/** A duration, or an expression that gives one or a number of milliseconds. */
export const durationOrCel: Check = (text) => {
  if (parseDuration(text) !== undefined || cel(text) === undefined) return undefined
  return { expectation: 'must be a duration such as 2s, or an expression that gives one' }
}

/** What is wrong with reading a variable, if anything is. */
type Objection = (variable: string) => string | undefined

function compiles(
  text: string,
  types: readonly string[] | undefined,
  objection: Objection = () => undefined,
): ReturnType<Check> {
  try {
    const functions = functionsAtHand() ?? noCustomFunctions
    const { needs } = compile(text, { functions, ...(types === undefined ? {} : { types }) })
    const expectation = [...needs.variables].map(objection).find((one) => one !== undefined)
    return expectation === undefined ? undefined : { expectation }
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
