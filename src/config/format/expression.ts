import { RE2JS, RE2JSSyntaxException } from 're2js'
import { CelError } from '../../cel/engine/compile-error.ts'
import { compile } from '../../cel/compile.ts'
import { connectionVariables } from '../../cel/context/connection-context.ts'
import { noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { FormatCheck } from './format-check.ts'
import { celComplaint, functionsAtHand } from './cel-functions.ts'
import { parseDuration } from './duration.ts'
import { patternSize } from '../../protocols/pattern/pattern-size.ts'

/** A CEL expression of any type. */
export const celFormat: FormatCheck = (text) => compiles(text, undefined)

/** A CEL expression of type boolean. */
export const celBool: FormatCheck = (text) => compiles(text, ['bool'])

/** A CEL expression that returns a boolean, or a share from 0 to 1. */
export const celSampling: FormatCheck = (text) => compiles(text, ['bool', 'double', 'int'])

/** A boolean CEL expression about a request, evaluated before there is a response. */
export const celRule: FormatCheck = (text) =>
  compiles(text, ['bool'], (name) =>
    name === 'response' ? 'must not read response: it is asked before there is one' : undefined,
  )

/** A boolean CEL expression about a connection. */
export const celConnectionRule: FormatCheck = (text) => compiles(text, ['bool'], ofConnections)

/** A CEL expression about a connection, of type string. */
export const celConnectionText: FormatCheck = (text) => compiles(text, ['string'], ofConnections)

/** A CEL expression of type string. */
export const celText: FormatCheck = (text) => compiles(text, ['string'])

/** A duration, or an expression that results in one or in a number of milliseconds. */
export const durationOrCel: FormatCheck = (text) => {
  if (parseDuration(text) !== undefined || celFormat(text) === undefined) return undefined
  return { expectation: 'must be a duration such as 2s, or an expression that gives one' }
}

/** The reason why a variable cannot be used here; undefined if it can. */
type Objection = (variable: string) => string | undefined

const ofConnections: Objection = (name) =>
  connectionVariables.some((one) => one === name)
    ? undefined
    : `must not read ${name}: of a connection there are ${connectionVariables.join(' and ')}`

function compiles(
  text: string,
  types: readonly string[] | undefined,
  objection: Objection = () => undefined,
): ReturnType<FormatCheck> {
  try {
    const functions = functionsAtHand() ?? noCustomFunctions
    const { references } = compile(text, { functions, ...(types === undefined ? {} : { types }) })
    const expectation = [...references.variables].map(objection).find((one) => one !== undefined)
    return expectation === undefined ? undefined : { expectation }
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    // The definitions are invalid, which is reported separately: the function may be among them.
    if (!functionsAtHand() && error.problem.startsWith('unknown function')) return undefined
    return celComplaint('expression', error)
  }
}

/** A regular expression that runs in linear time: the syntax of RE2, without look-around and back-references. */
export const regex: FormatCheck = (text) => syntaxComplaint(text, () => RE2JS.compile(text))

/** A regular expression that requests are compared with: of limited size besides. */
export const matchRegex: FormatCheck = (text) => {
  let size: ReturnType<typeof patternSize> | undefined
  const complaint = syntaxComplaint(text, () => (size = patternSize(text)))
  if (complaint || !size || 'size' in size) return complaint
  return {
    expectation: `is too large a regular expression: the limit is ${size.exceeds} ${size.of}`,
    ...(size.of === 'instructions'
      ? { hint: 'counted repetitions such as {1000} multiply what they repeat' }
      : {}),
  }
}

const syntaxComplaint = (text: string, parse: () => unknown): ReturnType<FormatCheck> => {
  try {
    parse()
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
