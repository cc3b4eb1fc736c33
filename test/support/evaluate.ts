import type { Evaluate } from '../../src/model/exchange/expression.ts'

/** An expression that gives this value. */
export const gives = (value: unknown, reads: Evaluate['reads'] = {}): Evaluate =>
  Object.assign(() => ({ value }), { reads })

/** An expression that cannot be evaluated. */
export const fails = (reads: Evaluate['reads'] = {}): Evaluate =>
  Object.assign(() => ({ error: 'no such key: secret' }), { reads })
