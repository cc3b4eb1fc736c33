import { child } from '../../../../config/document/json-pointer.ts'
import { milliseconds } from '../../../../config/normalize/context.ts'
import type { ValidationContext } from '../../../../config/validate/context.ts'

/** Checks a guard's timeout: more than zero, and within the limit of timers. */
export function checkGuardTimeout(
  view: ValidationContext,
  timeout: string | undefined,
  pointer: string,
): void {
  if (timeout === undefined) return
  const ms = milliseconds(timeout)
  if (ms <= 0 || ms > LONGEST_MS)
    view.wrongValue(child(pointer, 'timeout'), 'must be above 0 and at most 24h', { value: timeout })
}

const LONGEST_MS = 24 * 60 * 60 * 1000
