import { isOutOfBudget } from '../engine/cost-meter.ts'
import { conditionMacro } from './condition-macro.ts'
import type { Macro } from './macro.ts'

/**
 * `all` and `exists`: one decisive item determines the result, even if the condition failed for earlier
 * items.
 */
const quantifier = (name: 'all' | 'exists', decisive: boolean, description: string): Macro =>
  conditionMacro({
    name,
    description,
    result: (checker) => checker.getType('bool'),
    run: (items, meets) => {
      let failed = false
      let failure: unknown
      for (const item of items)
        try {
          if (meets(item) === decisive) return decisive
        } catch (error) {
          if (isOutOfBudget(error)) throw error
          failed = true
          failure = error
        }
      if (failed) throw failure
      return !decisive
    },
  })

const existsOne = (name: string): Macro =>
  conditionMacro({
    name,
    description: 'Whether exactly one item meets the condition.',
    result: (checker) => checker.getType('bool'),
    run: (items, meets) => {
      let found = 0
      for (const item of items) if (meets(item)) found++
      return found === 1
    },
  })

/** Macros that test how many items meet a condition. */
export const quantifierMacros: readonly Macro[] = [
  quantifier('all', false, 'Whether every item meets the condition.'),
  quantifier('exists', true, 'Whether an item meets the condition.'),
  existsOne('exists_one'),
  existsOne('existsOne'),
]
