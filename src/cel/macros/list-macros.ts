import type { CelType, Checker } from '../engine/cel-js.ts'
import { conditionMacro } from './condition-macro.ts'
import { argumentOf, type Macro } from './macro.ts'
import { checkBool, elementsOf, elementType, expandLoop, isCelTrue } from './comprehension.ts'

const map: Macro = {
  name: 'map',
  method: true,
  arity: [2, 3],
  binds: true,
  usage: 'list.map(item, value), list.map(item, condition, value)',
  description: 'A list of a value for each item, or for each that meets the condition.',
  expand: (call) => {
    const condition = call.args.length === 3 ? argumentOf(call, 1) : undefined
    const value = argumentOf(call, call.args.length - 1)
    return expandLoop(call, {
      item: elementType,
      items: elementsOf,
      result: (checker, scope) => {
        if (condition) checkBool(checker, condition, scope)
        return listOf(checker, checker.check(value, scope))
      },
      run: (evaluator, items, enter) => {
        const results: unknown[] = []
        for (const item of items) {
          const scope = enter(item)
          if (!condition || isCelTrue(evaluator, condition, scope)) results.push(evaluator.run(value, scope))
        }
        return results
      },
    })
  },
}

const filter = conditionMacro({
  name: 'filter',
  description: 'A list of the items that meet the condition.',
  result: (checker, itemType) => listOf(checker, itemType()),
  run: (items, meets) => {
    const kept: unknown[] = []
    for (const item of items) if (meets(item)) kept.push(item)
    return kept
  },
})

const listOf = (checker: Checker, item: CelType): CelType =>
  checker.getType(item.kind === 'param' ? 'list' : `list<${item.name}>`)

/** Macros that make a list of a list, or of the keys of a map. */
export const listMacros: readonly Macro[] = [map, filter]
