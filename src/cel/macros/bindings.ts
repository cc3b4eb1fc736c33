import type { CelType } from '../engine/cel-js.ts'
import { type MacroCall, type Expansion, argumentOf, type Macro, nameOf, receiverOf } from './macro.ts'

/** Binds `value` to `name` within `body`. Each evaluation has a new scope, so that no value is retained. */
const bindTo = (
  call: MacroCall,
  parts: { name: number; value: MacroCall['node']; body: number },
): Expansion => {
  const body = argumentOf(call, parts.body)
  let name = ''
  let type: CelType
  return {
    check: (checker, scope) => {
      name = nameOf(checker, call.args[parts.name])
      type = checker.check(parts.value, scope)
      return checker.check(body, scope.forkWithVariable(name, type))
    },
    evaluate: (evaluator, scope) => {
      const value = evaluator.run(parts.value, scope)
      return evaluator.run(body, scope.forkWithVariable(name, type).setIterValue(value, evaluator))
    },
  }
}

const withName: Macro = {
  name: 'with',
  method: true,
  arity: [2, 2],
  binds: true,
  usage: 'value.with(name, expression)',
  description: 'The expression, in which `name` is the value.',
  expand: (call) => bindTo(call, { name: 0, value: receiverOf(call), body: 1 }),
}

const bind: Macro = {
  name: 'bind',
  method: true,
  arity: [3, 3],
  binds: true,
  usage: 'cel.bind(name, value, expression)',
  description: 'The expression, in which `name` is the value.',
  expand: (call) => {
    const expansion = bindTo(call, { name: 0, value: argumentOf(call, 1), body: 2 })
    const receiver = receiverOf(call)
    return {
      ...expansion,
      check: (checker, scope) => {
        if (receiver.op === 'id' && receiver.args === 'cel') return expansion.check(checker, scope)
        throw checker.createError('no_matching_overload', 'bind is called as cel.bind(…)', receiver)
      },
    }
  },
}

/** Macros that bind a value to a name. */
export const bindingMacros: readonly Macro[] = [withName, bind]
