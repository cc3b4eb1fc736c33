import { entriesOf } from '../values/values.ts'
import { argumentOf, type Macro } from './macro.ts'
import { checkBool, expandLoop, isCelTrue, known } from './comprehension.ts'

const mapValues: Macro = {
  name: 'mapValues',
  method: true,
  arity: [2, 2],
  binds: true,
  usage: 'map.mapValues(value, newValue)',
  description: 'The map with every value replaced.',
  expand: (call) => {
    const value = argumentOf(call, 1)
    return expandLoop(call, {
      item: (checker, range) => known(checker, range.valueType),
      items: (range) => Array.from(entriesOf(range), ([, item]) => item),
      result: (checker, scope) => {
        checker.check(value, scope)
        return checker.getType('map')
      },
      run: (evaluator, items, enter, range) => {
        const keys = Array.from(entriesOf(range), ([key]) => key)
        return new Map(items.map((item, i) => [keys[i], evaluator.run(value, enter(item))]))
      },
    })
  },
}

const filterKeys: Macro = {
  name: 'filterKeys',
  method: true,
  arity: [2, 2],
  binds: true,
  usage: 'map.filterKeys(key, condition)',
  description: 'The map without the keys that do not meet the condition.',
  expand: (call) => {
    const condition = argumentOf(call, 1)
    return expandLoop(call, {
      item: (checker, range) => known(checker, range.keyType),
      items: (range) => Array.from(entriesOf(range), ([key]) => key),
      result: (checker, scope) => {
        checkBool(checker, condition, scope)
        return checker.getType('map')
      },
      run: (evaluator, items, enter, range) => {
        const kept = new Set(items.filter((key) => isCelTrue(evaluator, condition, enter(key))))
        return new Map(Array.from(entriesOf(range)).filter(([key]) => kept.has(key)))
      },
    })
  },
}

/** Macros that make a map of a map. */
export const mapMacros: readonly Macro[] = [mapValues, filterKeys]
