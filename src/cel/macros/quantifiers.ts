import { isOutOfBudget } from '../meter.ts'
import { conditionForm } from './condition-form.ts'
import type { Form } from './form.ts'

/** `all` and `exists`: one decisive item settles it, whatever failed before. */
const quantifier = (name: 'all' | 'exists', decisive: boolean, description: string): Form =>
  conditionForm({
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

const existsOne = (name: string): Form =>
  conditionForm({
    name,
    description: 'Whether exactly one item meets the condition.',
    result: (checker) => checker.getType('bool'),
    run: (items, meets) => {
      let found = 0
      for (const item of items) if (meets(item)) found++
      return found === 1
    },
  })

/** Forms that ask how many items meet a condition. */
export const quantifierForms: readonly Form[] = [
  quantifier('all', false, 'Whether every item meets the condition.'),
  quantifier('exists', true, 'Whether an item meets the condition.'),
  existsOne('exists_one'),
  existsOne('existsOne'),
]
