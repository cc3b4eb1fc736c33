import { EvaluationError } from '@marcbachmann/cel-js'
import { celError } from '../engine/eval-error.ts'
import type { Checker, Evaluator, Node, Scope } from '../engine/cel-js.ts'
import {
  computedPattern,
  constantPattern,
  matches,
  type CelPattern,
  parseReplacement,
  replaceAll,
} from '../values/regex.ts'
import { argumentOf, type Macro, receiverOf } from './macro.ts'

/** A pattern literal is compiled with the expression; a computed one at evaluation. */
const patternOf = (checker: Checker, node: Node): CelPattern | undefined => {
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

const matcher = (method: boolean): Macro => ({
  name: 'matches',
  method,
  arity: method ? [1, 1] : [2, 2],
  usage: method ? 'string.matches(pattern)' : 'matches(string, pattern)',
  description:
    'Whether the pattern (RE2 syntax) is found in the string. Takes linear time, whatever the pattern.',
  expand: (call) => {
    const subject = method ? receiverOf(call) : argumentOf(call, 0)
    const source = argumentOf(call, method ? 0 : 1)
    let pattern: CelPattern | undefined
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

const regexReplace: Macro = {
  name: 'regexReplace',
  method: true,
  arity: [2, 2],
  usage: 'string.regexReplace(pattern, replacement)',
  description: 'The string with every match replaced; `$1` and `${name}` are groups, `$$` is a dollar sign.',
  expand: (call) => {
    const subject = receiverOf(call)
    const source = argumentOf(call, 0)
    const replacement = argumentOf(call, 1)
    let pattern: CelPattern | undefined
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

/** Macros that take regular expressions. */
export const regexMacros: readonly Macro[] = [matcher(true), matcher(false), regexReplace]
