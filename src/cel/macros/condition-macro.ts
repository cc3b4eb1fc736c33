import type { CelType, Checker } from '../library.ts'
import { argumentOf, type Form } from './form.ts'
import { checkBool, elementsOf, elementType, expandLoop, isTrue } from './loop.ts'

/** What becomes of the items of a list by a condition. */
export interface ConditionForm {
  readonly name: string
  readonly description: string
  /** The type of the result; `itemType` checks an item when it is asked. */
  readonly result: (checker: Checker, itemType: () => CelType) => CelType
  /** `meets` evaluates the condition for an item, spends the budget, and fails as the condition does. */
  readonly run: (items: readonly unknown[], meets: (item: unknown) => boolean) => unknown
}

/**
 * Makes a form `list.name(item, condition)`.
 *
 * @example
 * conditionForm({
 *   name: 'none',
 *   description: 'Whether no item meets the condition.',
 *   result: (checker) => checker.getType('bool'),
 *   run: (items, meets) => !items.some(meets),
 * })
 */
export const conditionForm = ({ name, description, result, run }: ConditionForm): Form => ({
  name,
  method: true,
  arity: [2, 2],
  binds: true,
  usage: `list.${name}(item, condition)`,
  description,
  expand: (call) => {
    const item = argumentOf(call, 0)
    const condition = argumentOf(call, 1)
    return expandLoop(call, {
      item: elementType,
      items: elementsOf,
      result: (checker, scope) => {
        checkBool(checker, condition, scope)
        return result(checker, () => checker.check(item, scope))
      },
      run: (evaluator, items, enter) => run(items, (one) => isTrue(evaluator, condition, enter(one))),
    })
  },
})
