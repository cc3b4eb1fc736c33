import { celError } from '../engine/eval-error.ts'
import { HeadersView } from '../context/headers-view.ts'
import type { CelType, Checker, Evaluator, LoopScope, Node, Scope } from '../engine/cel-js.ts'
import { tick } from '../engine/cost-meter.ts'
import { entriesOf } from '../values/values.ts'
import { type MacroCall, type Expansion, nameOf, receiverOf } from './macro.ts'

/** The behaviour of one kind of loop. */
export interface Loop {
  /** The type of the loop variable, from that of the range. */
  readonly item: (checker: Checker, range: CelType) => CelType
  readonly items: (range: unknown) => readonly unknown[]
  /** The type of the result; the types of the body have been checked before. */
  readonly result: (checker: Checker, scope: Scope) => CelType
  /** `enter` returns the scope of an item's iteration, and spends the budget. */
  readonly run: (
    evaluator: Evaluator,
    items: readonly unknown[],
    enter: (item: unknown) => LoopScope,
    range: unknown,
  ) => unknown
}

/**
 * Expands a loop.
 *
 * Each evaluation creates the scope of the loop anew: the library's own loops store it in the expression,
 * and with it everything of the last request.
 */
export const expandLoop = (call: MacroCall, loop: Loop): Expansion => {
  let name = ''
  let itemType: CelType
  const range = receiverOf(call)
  return {
    check: (checker, scope) => {
      name = nameOf(checker, call.args[0])
      itemType = loop.item(checker, checker.check(range, scope))
      return loop.result(checker, scope.forkWithVariable(name, itemType))
    },
    evaluate: (evaluator, scope) => {
      const value = evaluator.run(range, scope)
      const inner = scope.forkWithVariable(name, itemType)
      const enter = (item: unknown): LoopScope => {
        tick()
        return inner.setIterValue(item, evaluator)
      }
      return loop.run(evaluator, loop.items(value), enter, value)
    },
  }
}

/** The elements of a list, or the keys of a map or record. */
export const elementsOf = (range: unknown): readonly unknown[] => {
  if (Array.isArray(range)) return range as unknown[]
  if (range instanceof HeadersView) return range.names()
  return Array.from(entriesOf(range), ([key]) => key)
}

/** The type of the elements. */
export const elementType = (checker: Checker, range: CelType): CelType => {
  if (range.kind === 'list') return known(checker, range.valueType)
  if (range.kind === 'map') return known(checker, range.keyType)
  return range.name === 'Headers' ? checker.getType('string') : checker.getType('dyn')
}

/**
 * The element or key type; `dyn` if undetermined, as for an empty literal, because the library's operators cannot
 * handle that.
 */
export const known = (checker: Checker, type: CelType | undefined): CelType =>
  !type || type.kind === 'param' ? checker.getType('dyn') : type

/** Fails the check unless `node` may be a boolean. */
export const checkBool = (checker: Checker, node: Node, scope: Scope): void => {
  const type = checker.check(node, scope)
  if (!type.isDynOrBool())
    throw checker.createError('invalid_predicate', `a condition is expected here, not ${type.name}`, node)
}

/** Evaluates a condition; throws if it is not a boolean. */
export const isCelTrue = (evaluator: Evaluator, node: Node, scope: Scope): boolean => {
  const value = evaluator.run(node, scope)
  if (typeof value === 'boolean') return value
  throw celError('invalid_predicate', 'the condition is not a boolean')
}
