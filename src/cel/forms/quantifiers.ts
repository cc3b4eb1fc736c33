import { isOutOfBudget } from '../meter.ts'
import { argumentOf, type Form } from './form.ts'
import { checkBool, elementsOf, elementType, expandLoop, isTrue } from './loop.ts'

/** `all` and `exists`: one decisive item settles it, whatever failed before. */
const quantifier = (name: 'all' | 'exists', decisive: boolean, description: string): Form => ({
  name,
  method: true,
  arity: [2, 2],
  binds: true,
  usage: `list.${name}(item, condition)`,
  description,
  expand: (call) => {
    const condition = argumentOf(call, 1)
    return expandLoop(call, {
      item: elementType,
      items: elementsOf,
      result: (checker, scope) => {
        checkBool(checker, condition, scope)
        return checker.getType('bool')
      },
      run: (evaluator, items, enter) => {
        let failed = false
        let failure: unknown
        for (const item of items)
          try {
            if (isTrue(evaluator, condition, enter(item)) === decisive) return decisive
          } catch (error) {
            if (isOutOfBudget(error)) throw error
            failed = true
            failure = error
          }
        if (failed) throw failure
        return !decisive
      },
    })
  },
})

const existsOne = (name: string): Form => ({
  name,
  method: true,
  arity: [2, 2],
  binds: true,
  usage: `list.${name}(item, condition)`,
  description: 'Whether exactly one item meets the condition.',
  expand: (call) => {
    const condition = argumentOf(call, 1)
    return expandLoop(call, {
      item: elementType,
      items: elementsOf,
      result: (checker, scope) => {
        checkBool(checker, condition, scope)
        return checker.getType('bool')
      },
      run: (evaluator, items, enter) => {
        let found = 0
        for (const item of items) if (isTrue(evaluator, condition, enter(item))) found++
        return found === 1
      },
    })
  },
})

/** Forms that ask how many items meet a condition. */
export const quantifierForms: readonly Form[] = [
  quantifier('all', false, 'Whether every item meets the condition.'),
  quantifier('exists', true, 'Whether an item meets the condition.'),
  existsOne('exists_one'),
  existsOne('existsOne'),
]
