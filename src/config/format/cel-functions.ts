import { CelError } from '../../cel/cel-error.ts'
import { type CustomFunctions, noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { Check, Complaint } from './complaint.ts'

/** Definitions of functions that expressions may call. */
export const celFunctions: Check = (text) => {
  try {
    functionsOf(text)
    return undefined
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return celComplaint('function definition', error)
  }
}

/**
 * Checks with the functions of a document at hand. The validator hands a format nothing but the text, so they are kept
 * here for the time of the check, which is synchronous.
 *
 * @param definitions What the document says, whatever it is.
 */
export const withFunctions = <T>(definitions: unknown, check: () => T): T => {
  atHand = functionsOrUnknown(definitions)
  try {
    return check()
  } finally {
    atHand = noCustomFunctions
  }
}

/** The functions of the document under check; undefined if their definitions are wrong. */
export const functionsAtHand = (): CustomFunctions | undefined => atHand

/** What is wrong with an expression or a definition, and where in it. */
export const celComplaint = (what: string, { problem, position, hint }: CelError): Complaint => {
  const line = position.line > 1 ? `line ${String(position.line)}, ` : ''
  return {
    expectation: `is not a valid ${what}: ${problem} (${line}character ${String(position.column)})`,
    ...(hint === undefined ? {} : { hint }),
  }
}

let atHand: CustomFunctions | undefined = noCustomFunctions

const functionsOrUnknown = (definitions: unknown): CustomFunctions | undefined => {
  if (typeof definitions !== 'string') return noCustomFunctions
  try {
    return functionsOf(definitions)
  } catch (error) {
    if (error instanceof CelError) return undefined
    throw error
  }
}
