import { CelError } from '../../cel/engine/compile-error.ts'
import { type CustomFunctions, noCustomFunctions } from '../../cel/custom/custom-functions.ts'
import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { FormatCheck, Complaint } from './format-check.ts'

/** Definitions of functions for expressions. */
export const celFunctions: FormatCheck = (text) => {
  try {
    functionsOf(text)
    return undefined
  } catch (error) {
    if (!(error instanceof CelError)) throw error
    return celComplaint('function definition', error)
  }
}

/**
 * Runs a check with the functions of a document. The validator passes only the text to a format, so the
 * functions are stored here for the time of the check, which is synchronous.
 *
 * @param definitions The value of the document's field, of any type.
 */
export const withFunctions = <T>(definitions: unknown, check: () => T): T => {
  atHand = functionsOrUnknown(definitions)
  try {
    return check()
  } finally {
    atHand = noCustomFunctions
  }
}

/** The functions of the document under check; undefined if their definitions are invalid. */
export const functionsAtHand = (): CustomFunctions | undefined => atHand

/** The problem of an expression or a definition, with its position. */
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
