import type { CelType, Checker } from '../engine/cel-js.ts'
import { argumentOf, type Macro } from './macro.ts'
import { checkBool, elementsOf, elementType, expandLoop, isCelTrue } from './comprehension.ts'

/** The behaviour of a macro that applies a condition to the items of a list. */
export interface ConditionMacro {
  readonly name: string
  readonly description: string
  /** The type of the result; `itemType` checks an item on demand. */
  readonly result: (checker: Checker, itemType: () => CelType) => CelType
  /** `meets` evaluates the condition for an item, spends the budget, and throws if the condition does. */
  readonly run: (items: readonly unknown[], meets: (item: unknown) => boolean) => unknown
}

/**
 * Creates a macro `list.name(item, condition)`.
 *
 * @example
 * conditionMacro({
 *   name: 'none',
 *   description: 'Whether no item meets the condition.',
 *   result: (checker) => checker.getType('bool'),
 *   run: (items, meets) => !items.some(meets),
 * })
 */
export const conditionMacro = ({ name, description, result, run }: ConditionMacro): Macro => ({
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
      run: (evaluator, items, enter) => run(items, (one) => isCelTrue(evaluator, condition, enter(one))),
    })
  },
})
