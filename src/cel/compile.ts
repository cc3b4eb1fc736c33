import { CelError, positionAt } from './engine/compile-error.ts'
import type { CelContext } from './context/context.ts'
import { type CustomFunctions, noCustomFunctions } from './custom/custom-functions.ts'
import { environment, evaluator } from './environment.ts'
import { explainCompileError } from './engine/explain-error.ts'
import { type Failure, failureOf } from './engine/eval-error.ts'
import type { Node } from './engine/cel-js.ts'
import { limits } from './limits.ts'
import { beginEvaluation, chargeUpTo } from './engine/cost-meter.ts'
import { type AttributeReferences, attributeReferencesOf, readsOf } from './engine/attribute-references.ts'
import { prepare } from './engine/prepare.ts'
import { ContextScope } from './engine/activation.ts'
import { checkTreeDepth } from './engine/tree-depth.ts'

/** The outcome of an evaluation: a value, or the reason why there is none. */
export type CompileOutcome =
  | { readonly value: unknown; readonly error?: undefined }
  | { readonly error: Failure; readonly value?: undefined }

/** A compiled expression. It is total: no method throws, and none takes longer than the limits allow. */
export interface Expression {
  readonly text: string
  /**
   * The static type of its value, such as `bool` or `string`; `dyn` if the type is known only at run time.
   */
  readonly type: string
  readonly references: AttributeReferences
  /** The value as the library represents it: integers are bigint, maps `Map`; see `toText` and `toPlain`. */
  evaluate(context: CelContext): CompileOutcome
  /** Whether the value is true. False if the evaluation fails or the value is not a boolean. */
  test(context: CelContext): boolean
  /**
   * True or false; undefined if the evaluation fails or the value is not a boolean, for callers that treat
   * this case apart from false.
   */
  decide(context: CelContext): boolean | undefined
}

/** Requirements of the field that contains the expression. */
export interface CompileOptions {
  /** The types its value may have, besides `dyn`. Default: any. */
  readonly types?: readonly string[]
  /** Functions of the configuration. Default: none. */
  readonly functions?: CustomFunctions
}

/**
 * Parses and type-checks an expression once, for all evaluations.
 *
 * @throws {CelError} for syntax errors, unknown variables, fields and functions, and types that do not fit.
 * @example
 * const isInternal = compile('cidr("10.0.0.0/8").containsIP(source.address)', { types: ['bool'] })
 * isInternal.test(context)
 */
export const compile = (text: string, options: CompileOptions = {}): Expression => {
  if (text.length > limits.textChars)
    throw new CelError(
      `an expression may have ${limits.textChars} characters, not ${text.length}`,
      positionAt(text, 0),
      undefined,
    )
  const { types, functions = noCustomFunctions } = options
  let root: Node
  let type: string
  let references: AttributeReferences
  try {
    const program = environment.parse(text)
    root = program.ast
    checkTreeDepth(text, root)
    prepare(root, { findMacro: functions.findMacro, charge: chargeUpTo(limits.nodes, text) })
    references = attributeReferencesOf(readsOf(root, functions.findMacro))
    const checked = program.check()
    if (!checked.valid) throw checked.error as Error
    type = checked.type ?? 'dyn'
  } catch (error) {
    throw error instanceof CelError ? error : explainCompileError(text, error, functions.macros)
  }
  if (types && type !== 'dyn' && !types.includes(type))
    throw new CelError(`the value must be ${types.join(' or ')}, not ${type}`, positionAt(text, 0), undefined)
  return new CompiledExpression(text, type, references, root)
}

class CompiledExpression implements Expression {
  readonly text: string
  readonly type: string
  readonly references: AttributeReferences
  readonly #root: Node

  constructor(text: string, type: string, references: AttributeReferences, root: Node) {
    this.text = text
    this.type = type
    this.references = references
    this.#root = root
  }

  evaluate(context: CelContext): CompileOutcome {
    try {
      return { value: run(this.#root, context) }
    } catch (error) {
      return { error: failureOf(error) }
    }
  }

  test(context: CelContext): boolean {
    try {
      return run(this.#root, context) === true
    } catch {
      return false
    }
  }

  decide(context: CelContext): boolean | undefined {
    try {
      const value = run(this.#root, context)
      return typeof value === 'boolean' ? value : undefined
    } catch {
      return undefined
    }
  }
}

const run = (root: Node, context: CelContext): unknown => {
  beginEvaluation()
  // Failed evaluations are ordinary (a header is absent), and their stack is never read: 1.8 µs instead of 6.3.
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  try {
    return evaluator.run(root, new ContextScope(context))
  } finally {
    Error.stackTraceLimit = stackTraceLimit
  }
}
