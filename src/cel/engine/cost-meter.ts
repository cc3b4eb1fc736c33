import { EvaluationError } from '@marcbachmann/cel-js'
import { CelError, positionAt } from './compile-error.ts'
import { limits } from '../limits.ts'
import type { Preparation } from '../macros/macro.ts'

/** Counts syntax nodes up to a limit. */
export const chargeUpTo = (most: number, text: string): Preparation['charge'] => {
  let left = most
  return (parts) => {
    left -= parts
    if (left < 0)
      throw new CelError(
        `the expression has more than ${most} parts, with the functions that it calls`,
        positionAt(text, 0),
        undefined,
      )
  }
}

/**
 * The budget that is left to the running evaluation. Evaluation is synchronous and never nests, so one
 * counter serves the process; a counter per evaluation would have to be passed through the library.
 */
let unitsLeft = 0
let ticks = 0
let deadlineMs = 0

/** Resets the budget for a new evaluation. */
export const beginEvaluation = (): void => {
  unitsLeft = limits.cost
  ticks = 0
  deadlineMs = 0
}

/** The units spent by the last evaluation; more than the limit if it was stopped. */
export const spentUnits = (): number => limits.cost - unitsLeft

/** Spends `units`; throws if the budget is exceeded. */
export const chargeCost = (units: number): void => {
  unitsLeft -= units
  if (unitsLeft < 0) throw tooExpensive()
}

/** Spends the cost of scanning `value` once, and returns the value. */
export const chargeFor = (value: unknown): unknown => {
  if (typeof value === 'string') chargeCost(1 + (value.length >> 6))
  else if (Array.isArray(value)) chargeCost(1 + (value.length >> 4))
  else if (value instanceof Uint8Array) chargeCost(1 + (value.length >> 6))
  else if (value instanceof Map) chargeCost(1 + (value.size >> 4))
  return value
}

/** One iteration of a loop: spends a unit and checks the clock from time to time. */
export const tick = (): void => {
  chargeCost(1)
  if (++ticks & 31) return
  // Set by long loops only: most evaluations never read a clock.
  if (deadlineMs === 0) deadlineMs = performance.now() + limits.elapsedMs
  else if (performance.now() > deadlineMs) throw tooExpensive()
}

/** Whether the budget is exceeded. The expression itself must not catch such an error. */
export const isOutOfBudget = (error: unknown): boolean =>
  error instanceof EvaluationError && error.code === 'limit_exceeded'

const tooExpensive = (): EvaluationError => {
  // The library treats an error as a value in `||`; what it still evaluates must fail at once.
  unitsLeft = -1
  return new EvaluationError({
    code: 'limit_exceeded',
    message: 'the expression is too expensive for this input',
  })
}
