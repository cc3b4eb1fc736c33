import { EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js'
import { CelError, positionAt } from './compile-error.ts'
import { builtInFunctionNames, writtenNames } from '../built-in-names.ts'
import { environment } from '../environment.ts'
import { type Macro, notAName } from '../macros/macro.ts'
import { macros } from '../macros/macros.ts'
import { functionGroups } from '../functions/functions.ts'
import { checkedTypeOf, type Node } from './cel-js.ts'
import { limits } from '../limits.ts'
import { nearNames } from './suggest-names.ts'
import { recordTypes } from '../context/records.ts'

interface Explanation {
  readonly problem: string
  readonly offset: number
  readonly hint?: string | undefined
}

/**
 * Converts an error of the library's parser or checker for `text` into a message that helps to correct it.
 *
 * @param custom Functions of the configuration.
 * @param names Local names besides the variables.
 */
export const explainCompileError = (
  text: string,
  thrown: unknown,
  custom: readonly Macro[] = [],
  names: readonly string[] = [],
): CelError => {
  const { problem, offset, hint } = explanationOf(text, thrown, custom, names)
  return new CelError(problem, positionAt(text, Math.min(offset, text.length)), hint, { cause: thrown })
}

const explanationOf = (
  text: string,
  thrown: unknown,
  custom: readonly Macro[],
  names: readonly string[],
): Explanation => {
  if (thrown instanceof RangeError) return { problem: 'the expression is nested too deeply', offset: 0 }
  if (!(thrown instanceof ParseError || thrown instanceof CelTypeError || thrown instanceof EvaluationError))
    return {
      problem: thrown instanceof Error ? thrown.message : 'the expression cannot be checked',
      offset: 0,
    }
  const { code, summary } = thrown
  const node = thrown.node as Node | undefined
  const offset = node?.pos ?? thrown.range?.start ?? 0
  switch (code) {
    case 'unknown_variable':
      if (node?.op === 'id') return unknownVariable(text, node, [...variableNames, ...names])
      break
    case 'no_such_key':
      if (node?.op === '.' || node?.op === '[]') return unknownField(node)
      break
    case 'no_matching_overload':
      if (node?.op === 'call' || node?.op === 'rcall') return wrongCall(text, node, summary, custom)
      break
    case 'invalid_macro_argument':
      // The parser has loops of its own, and reports their mistakes before our macros can.
      return { problem: / variable( argument)?$/.test(summary) ? notAName : sentence(summary), offset }
    case 'limit_exceeded':
      return { problem: limitProblem(summary), offset }
    case 'unexpected_character':
    case 'unexpected_token':
    case 'expected_token':
      return unexpected(text, summary, offset)
  }
  return { problem: sentence(summary), offset }
}

const unknownVariable = (text: string, node: Node & { op: 'id' }, known: readonly string[]): Explanation => {
  const name = node.args
  const dashed = /[\w]-$/.test(text.slice(0, node.start))
  return {
    problem: `unknown variable "${name}"`,
    offset: node.start,
    hint: dashed ? 'a name with a dash is written x["a-b"]' : didYouMean(name, known),
  }
}

const unknownField = (node: Node & { op: '.' | '[]' }): Explanation => {
  const written = node.op === '.' ? node.args[1] : node.args[1].args
  const key = typeof written === 'string' ? written : ''
  const type = checkedTypeOf(node.args[0])?.name
  const record = recordTypes.find(({ name }) => name === type)
  const owner = node.input.slice(node.args[0].start, node.args[0].end)
  return {
    problem: `${owner} has no field "${key}"`,
    offset: node.op === '.' ? node.pos : node.args[1].start,
    hint: record && didYouMean(key, Object.keys(record.fields), 'fields are'),
  }
}

const wrongCall = (
  text: string,
  node: Node & { op: 'call' | 'rcall' },
  summary: string,
  custom: readonly Macro[],
): Explanation => {
  const registered = node.args[0]
  const name = writtenNames.get(registered) ?? registered
  // The name of a method comes after its receiver; the tree does not include the receiver's brackets.
  const offset = node.op === 'call' ? node.start : Math.max(node.start, text.indexOf(name, node.args[1].end))
  const own = custom.find((macro) => macro.name === name)
  if (!own && !builtInFunctionNames().has(name)) {
    const known = [...custom.map((macro) => macro.name), ...builtInFunctionNames()]
    return { problem: `unknown function "${name}"`, offset, hint: didYouMean(name, known) }
  }
  const call = /'(.*)'/.exec(summary)?.[1]?.replace(registered, name) ?? name
  const usage = own?.usage ?? usages.get(name)
  return { problem: `no such call: ${call}`, offset, hint: usage && `usage: ${usage}` }
}

const unexpected = (text: string, summary: string, offset: number): Explanation => {
  const word = /^(?:\w+|.)/su.exec(text.slice(offset))?.[0]
  const found = word === undefined ? 'the end of the expression' : `"${word}"`
  const expected = /^Expected (\w+),/.exec(summary)?.[1]
  return {
    problem: expected
      ? `${tokenNames[expected] ?? expected} expected, not ${found}`
      : word === undefined
        ? 'the expression ends too soon'
        : `unexpected ${found}`,
    offset,
    hint: word === undefined ? undefined : mistakes[word],
  }
}

const limitProblem = (summary: string): string => {
  const limit = /^Exceeded (\w+)/.exec(summary)?.[1]
  return (limit && limitProblems[limit]) ?? sentence(summary)
}

const didYouMean = (name: string, known: Iterable<string>, otherwise?: string): string | undefined => {
  const near = nearNames(name, known)
  if (near.length) return `did you mean ${near.map((one) => `"${one}"`).join(' or ')}?`
  return otherwise && `${otherwise} ${[...known].join(', ')}`
}

const sentence = (summary: string): string => summary.charAt(0).toLowerCase() + summary.slice(1)

const variableNames = environment.getDefinitions().variables.map(({ name }) => name)

/** Function → its usage. */
const usages = new Map<string, string>()
for (const { usage } of [...macros, ...functionGroups.flatMap(({ functions }) => functions)])
  for (const [, name] of usage.matchAll(/(\w+)\(/g))
    if (!usages.has(name as string)) usages.set(name as string, usage)

const tokenNames: Readonly<Record<string, string>> = {
  RPAREN: '")"',
  RBRACKET: '"]"',
  RBRACE: '"}"',
  COLON: '":"',
  IDENTIFIER: 'a name',
}

const limitProblems: Readonly<Record<string, string>> = {
  maxAstNodes: `the expression has more than ${limits.nodes} parts`,
  maxDepth: `the expression is nested deeper than ${limits.depth} levels`,
  maxListElements: `a list has more than ${limits.elements} elements`,
  maxMapEntries: `a map has more than ${limits.elements} entries`,
  maxCallArguments: `a call has more than ${limits.callArguments} arguments`,
}

/** Operators of other languages that are often written by mistake. */
const mistakes: Readonly<Record<string, string>> = {
  '=': 'equality is written ==',
  '&': 'and is written &&',
  '|': 'or is written ||',
  and: 'and is written &&',
  or: 'or is written ||',
  not: 'not is written !',
  is: 'equality is written ==',
  '“': 'strings stand between straight quotes, " or \'',
  '‘': 'strings stand between straight quotes, " or \'',
  '`': 'strings stand between straight quotes, " or \'',
}
