import { CelError, positionAt } from './cel-error.ts'
import type { Preparation } from './forms/form.ts'

/** Counts parts up to a limit. */
export const spendUpTo = (most: number, text: string): Preparation['spend'] => {
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
