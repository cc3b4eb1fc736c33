import { identifyingText } from '../../cel/identifying-text.ts'
import type { Evaluate } from '../../model/evaluate.ts'

/** Makes an expression give a text that tells its value from others, credentials included; null is no key. */
export const keyExpression =
  (expression: Evaluate): Evaluate =>
  (x) => {
    const result = expression(x)
    if (!('value' in result)) return result
    const { value } = result
    return typeof value === 'string' || value === null || value === undefined
      ? result
      : { value: identifyingText([value]) }
  }
