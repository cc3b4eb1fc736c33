import type { CelType } from '../library.ts'
import { type Call, type Expansion, argumentOf, type Form, nameOf, receiverOf } from './form.ts'

/** Gives `value` the name `name` within `body`. The scope is new each time, so that nothing is kept afterwards. */
const bindTo = (call: Call, parts: { name: number; value: Call['node']; body: number }): Expansion => {
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

const withName: Form = {
  name: 'with',
  method: true,
  arity: [2, 2],
  binds: true,
  usage: 'value.with(name, expression)',
  description: 'The expression, in which `name` is the value.',
  expand: (call) => bindTo(call, { name: 0, value: receiverOf(call), body: 1 }),
}

const bind: Form = {
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

/** Forms that give a value a name. */
export const bindingForms: readonly Form[] = [withName, bind]
