import type { ExprValue } from '@bufbuild/cel-spec/cel/expr/eval_pb.js'
import { EvaluationError } from '@marcbachmann/cel-js'
import { environment, evaluator } from '../../src/cel/environment.ts'
import { macroOf } from '../../src/cel/macros/macros.ts'
import { type CelType, withChecker } from '../../src/cel/engine/cel-js.ts'
import { limits } from '../../src/cel/limits.ts'
import { beginEvaluation, chargeUpTo } from '../../src/cel/engine/cost-meter.ts'
import { prepare } from '../../src/cel/engine/prepare.ts'
import { ContextScope, DeclarationScope, ParameterScope } from '../../src/cel/engine/activation.ts'
import type { SpecCase } from './spec-cases.ts'
import { typeNameOf } from './spec-types.ts'
import { ForeignValue, isSame, valueOf } from './spec-values.ts'

/** The result of a test. */
export type CaseResult = 'passed' | 'failed' | 'foreign'

/** Runs a test in the way expressions are compiled and evaluated, with its variables as parameters. */
export const runCase = ({ test }: SpecCase): CaseResult => {
  try {
    return passes(test) ? 'passed' : 'failed'
  } catch (error) {
    if (error instanceof ForeignValue) return 'foreign'
    throw error
  }
}

const passes = (test: SpecCase['test']): boolean => {
  const types = new Map<string, string>()
  for (const { name, declKind } of test.typeEnv) {
    if (declKind.case !== 'ident') throw new ForeignValue(String(declKind.case))
    types.set(name, typeNameOf(declKind.value.type))
  }
  const values = Object.entries(test.bindings).map(([name, value]) => [name, bound(value)] as const)
  for (const [name] of values) if (!types.has(name)) types.set(name, 'dyn')
  const names = [...types.keys()]
  const { resultMatcher: wanted } = test
  const expectsError = wanted.case === 'evalError' || wanted.case === 'anyEvalErrors'
  const expected =
    wanted.case === 'value'
      ? valueOf(wanted.value)
      : wanted.case === 'typedResult'
        ? wanted.value.result && valueOf(wanted.value.result)
        : true
  const expectedType = wanted.case === 'typedResult' ? typeNameOf(wanted.value.deducedType) : undefined
  let outcome: { readonly type: string; readonly value: unknown }
  try {
    outcome = run(test, names, [...types.values()], new Map(values))
  } catch (error) {
    if (error instanceof ForeignValue) throw error
    return expectsError && isOrderly(error)
  }
  if (expectsError) return false
  if (expectedType !== undefined && outcome.type !== expectedType) return false
  return test.checkOnly || expected === undefined || isSame(outcome.value, expected)
}

const bound = ({ kind }: ExprValue): unknown => {
  if (kind.case === 'value') return valueOf(kind.value)
  throw new ForeignValue(String(kind.case))
}

const run = (
  { expr, checkOnly }: SpecCase['test'],
  names: readonly string[],
  typeNames: readonly string[],
  bindings: ReadonlyMap<string, unknown>,
): { readonly type: string; readonly value: unknown } => {
  let types: readonly CelType[] = []
  const root = environment.parse(expr).ast
  prepare(root, { findMacro: macroOf, charge: chargeUpTo(limits.nodes, expr) })
  const type = withChecker(environment, (checker) => {
    types = typeNames.map((name) => checker.getType(name))
    return checker.check(
      root,
      new ParameterScope(new DeclarationScope(checker.registry.variables), names, types),
    )
  })
  if (checkOnly) return { type: type.name, value: undefined }
  beginEvaluation()
  const values = names.map((name) => bindings.get(name))
  const value = evaluator.run(root, new ParameterScope(new ContextScope({}), names, types, values))
  return { type: type.name, value }
}

/** Errors of compiling and evaluating. Any other error is a bug here, and passes no test. */
const isOrderly = (error: unknown): boolean =>
  error instanceof EvaluationError ||
  error instanceof RangeError ||
  (error instanceof Error && 'code' in error)
