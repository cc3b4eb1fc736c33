import { EvaluationError } from '@marcbachmann/cel-js'
import { celError } from '../failure.ts'
import type { Checker, Evaluator, Node, Scope } from '../library.ts'
import {
  computedPattern,
  constantPattern,
  matches,
  type Pattern,
  parseReplacement,
  replaceAll,
} from '../regex.ts'
import { argumentOf, type Form, receiverOf } from './form.ts'

/** A pattern given as a literal is compiled while the expression is; any other when it is met. */
const patternOf = (checker: Checker, node: Node): Pattern | undefined => {
  if (node.op !== 'value' || typeof node.args !== 'string') return undefined
  try {
    return constantPattern(node.args)
  } catch (error) {
    if (error instanceof EvaluationError) throw checker.createError(error.code, error.summary, node)
    throw error
  }
}

const checkText = (checker: Checker, node: Node, scope: Scope): void => {
  const type = checker.check(node, scope)
  if (type.kind !== 'dyn' && type.name !== 'string')
    throw checker.createError('no_matching_overload', `a string is expected here, not ${type.name}`, node)
}

const textOf = (evaluator: Evaluator, node: Node, scope: Scope): string => {
  const value = evaluator.run(node, scope)
  if (typeof value === 'string') return value
  throw celError('no_such_overload', 'regular expressions take strings')
}

const matcher = (method: boolean): Form => ({
  name: 'matches',
  method,
  arity: method ? [1, 1] : [2, 2],
  usage: method ? 'string.matches(pattern)' : 'matches(string, pattern)',
  description:
    'Whether the pattern (RE2 syntax) is found in the string. Takes linear time, whatever the pattern.',
  expand: (call) => {
    const subject = method ? receiverOf(call) : argumentOf(call, 0)
    const source = argumentOf(call, method ? 0 : 1)
    let pattern: Pattern | undefined
    return {
      check: (checker, scope) => {
        checkText(checker, subject, scope)
        checkText(checker, source, scope)
        pattern = patternOf(checker, source)
        return checker.getType('bool')
      },
      evaluate: (evaluator, scope) => {
        const text = textOf(evaluator, subject, scope)
        return matches(pattern ?? computedPattern(textOf(evaluator, source, scope)), text)
      },
    }
  },
})

const regexReplace: Form = {
  name: 'regexReplace',
  method: true,
  arity: [2, 2],
  usage: 'string.regexReplace(pattern, replacement)',
  description: 'The string with every match replaced; `$1` and `${name}` are groups, `$$` is a dollar sign.',
  expand: (call) => {
    const subject = receiverOf(call)
    const source = argumentOf(call, 0)
    const replacement = argumentOf(call, 1)
    let pattern: Pattern | undefined
    return {
      check: (checker, scope) => {
        for (const node of [subject, source, replacement]) checkText(checker, node, scope)
        pattern = patternOf(checker, source)
        return checker.getType('string')
      },
      evaluate: (evaluator, scope) => {
        const text = textOf(evaluator, subject, scope)
        const found = pattern ?? computedPattern(textOf(evaluator, source, scope))
        return replaceAll(found, text, parseReplacement(textOf(evaluator, replacement, scope)))
      },
    }
  },
}

/** Forms that take regular expressions. */
export const regexForms: readonly Form[] = [matcher(true), matcher(false), regexReplace]
