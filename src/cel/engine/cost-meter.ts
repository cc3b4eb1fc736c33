import { EvaluationError } from '@marcbachmann/cel-js'
import { limits } from './limits.ts'

/**
 * What the running evaluation may still spend. Evaluation is synchronous and never nests, so one counter serves the
 * process; a counter per evaluation would have to be handed through the library.
 */
let unitsLeft = 0
let ticks = 0
let deadlineMs = 0

/** Starts the account of an evaluation. */
export const beginEvaluation = (): void => {
  unitsLeft = limits.cost
  ticks = 0
  deadlineMs = 0
}

/** What the last evaluation has spent so far, in units; more than the limit if it was stopped. */
export const spentUnits = (): number => limits.cost - unitsLeft

/** Spends `units`; throws once more is spent than an evaluation may. */
export const charge = (units: number): void => {
  unitsLeft -= units
  if (unitsLeft < 0) throw tooExpensive()
}

/** Spends what it costs to look through `value` once, which is returned. */
export const chargeFor = (value: unknown): unknown => {
  if (typeof value === 'string') charge(1 + (value.length >> 6))
  else if (Array.isArray(value)) charge(1 + (value.length >> 4))
  else if (value instanceof Uint8Array) charge(1 + (value.length >> 6))
  else if (value instanceof Map) charge(1 + (value.size >> 4))
  return value
}

/** One turn of a loop: spends a unit and looks at the clock now and then. */
export const tick = (): void => {
  charge(1)
  if (++ticks & 31) return
  // Asked for only by loops that go on: most evaluations never read a clock.
  if (deadlineMs === 0) deadlineMs = performance.now() + limits.elapsedMs
  else if (performance.now() > deadlineMs) throw tooExpensive()
}

/** Whether `error` says that the account is empty: such an error must not be caught by the expression itself. */
export const isOutOfBudget = (error: unknown): boolean =>
  error instanceof EvaluationError && error.code === 'limit_exceeded'

const tooExpensive = (): EvaluationError => {
  // Whatever still runs, because the library takes an error for a value in `||`, must not start anew.
  unitsLeft = -1
  return new EvaluationError({
    code: 'limit_exceeded',
    message: 'the expression is too expensive for this input',
  })
}
