import { directReadOf } from '../engine/fast-member-access.ts'
import { isAbsence } from '../engine/eval-error.ts'
import { type Evaluator, metaOf, type Node, type Scope } from '../engine/cel-js.ts'
import { memberOf } from '../engine/member-access.ts'
import { isOutOfBudget } from '../engine/cost-meter.ts'
import { argumentOf, commonType, type Macro } from './macro.ts'

/** Stands for an absent value. */
const absent = Symbol('absent')

/**
 * The value of `node`, or `absent` if it or one of its owners is absent. Evaluates plain member accesses
 * itself: an absent header is the usual case, and an exception for it costs ten times the rest.
 */
const lookUp = (evaluator: Evaluator, node: Node, scope: Scope): unknown => {
  if (node.op === 'id' && !metaOf(node).alternate) {
    const value = scope.getValue(node.args)
    return value === undefined ? absent : value
  }
  if (node.op === '.' || node.op === '[]') {
    const direct = directReadOf(node)
    if (direct) {
      const value = direct(scope)
      return value === undefined ? absent : value
    }
    const left = lookUp(evaluator, node.args[0], scope)
    if (left === absent) return absent
    const key = node.op === '.' ? node.args[1] : evaluator.run(node.args[1], scope)
    const value = memberOf(evaluator, left, key, node)
    return value === undefined ? absent : value
  }
  try {
    return evaluator.run(node, scope)
  } catch (error) {
    if (isAbsence(error)) return absent
    throw error
  }
}

const has: Macro = {
  name: 'has',
  method: false,
  arity: [1, 1],
  usage: 'has(x)',
  description: 'Whether a variable, a member or a key, and everything on the way to it, is there.',
  expand: (call) => {
    const node = argumentOf(call, 0)
    return {
      check: (checker, scope) => {
        if (node.op !== 'id' && node.op !== '.' && node.op !== '[]')
          throw checker.createError(
            'invalid_macro_argument',
            'has() takes a variable, a member or a key',
            node,
          )
        checker.check(node, scope)
        return checker.getType('bool')
      },
      evaluate: (evaluator, scope) => lookUp(evaluator, node, scope) !== absent,
    }
  },
}

const fallback: Macro = {
  name: 'default',
  method: false,
  arity: [2, 2],
  usage: 'default(x, fallback)',
  description: '`x`, or `fallback` if `x` is not there. Other failures of `x` stay failures.',
  expand: (call) => {
    const node = argumentOf(call, 0)
    const otherwise = argumentOf(call, 1)
    return {
      check: (checker, scope) =>
        commonType(checker, checker.check(node, scope), checker.check(otherwise, scope)),
      evaluate: (evaluator, scope) => {
        const value = lookUp(evaluator, node, scope)
        return value === absent ? evaluator.run(otherwise, scope) : value
      },
    }
  },
}

const coalesce: Macro = {
  name: 'coalesce',
  method: false,
  arity: [1, 32],
  usage: 'coalesce(a, b, …)',
  description: 'The first that has a value other than null. Null if one was null, else the last failure.',
  expand: ({ args }) => ({
    check: (checker, scope) =>
      args.map((node) => checker.check(node, scope)).reduce((a, b) => commonType(checker, a, b)),
    evaluate: (evaluator, scope) => {
      let failure: unknown
      let sawNull = false
      for (const node of args)
        try {
          const value = evaluator.run(node, scope)
          if (value !== null) return value
          sawNull = true
        } catch (error) {
          if (isOutOfBudget(error)) throw error
          failure = error
        }
      if (sawNull) return null
      throw failure
    },
  }),
}

/** Macros about absent values. */
export const presenceMacros: readonly Macro[] = [has, fallback, coalesce]
