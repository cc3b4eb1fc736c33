import type { Evaluate } from '../../src/model/exchange/expression.ts'

/** An expression with this value. */
export const gives = (value: unknown, reads: Evaluate['reads'] = {}): Evaluate =>
  Object.assign(() => ({ value }), { reads })

/** An expression that fails. */
export const fails = (reads: Evaluate['reads'] = {}): Evaluate =>
  Object.assign(() => ({ error: 'no such key: secret' }), { reads })
