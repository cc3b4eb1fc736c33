import type { CelType, Checker, Evaluator, Node, Scope } from '../engine/cel-js.ts'

/** A parsed call. */
export interface MacroCall {
  readonly node: Node
  /** The expression before the dot; undefined for `name(…)`. */
  readonly receiver: Node | undefined
  readonly args: readonly Node[]
}

/** The check and the evaluation of one call of a macro. */
export interface Expansion {
  /** The type of the result; throws errors of `checker.createError`. */
  check(checker: Checker, scope: Scope): CelType
  evaluate(evaluator: Evaluator, scope: Scope): unknown
}

/** Variables, and fields of them (`request.body`, `request.*`), that are read. */
export interface Reads {
  readonly variables: ReadonlySet<string>
  readonly fields: ReadonlySet<string>
  /** The fields that are used for more than a test of presence, such as `has`. */
  readonly used: ReadonlySet<string>
}

/**
 * A function that controls the evaluation of its arguments: they may stay unevaluated, fail, or use a new
 * name.
 */
export interface Macro {
  readonly name: string
  /** Called as `receiver.name(…)`. */
  readonly method: boolean
  /** Least and most arguments. */
  readonly arity: readonly [least: number, most: number]
  /** The first argument is a name that the other arguments can use. */
  readonly binds?: boolean
  /** It may use the value of an argument more than once. */
  readonly repeats?: boolean
  /** Attributes that it reads besides its arguments. */
  readonly reads?: Reads
  readonly usage: string
  readonly description: string
  readonly expand: (call: MacroCall, preparation: Preparation) => Expansion
}

/** Finds the macro of a call; undefined for calls of functions. */
export type MacroLookup = (name: string, method: boolean, argumentCount: number) => Macro | undefined

/** The macro that a node calls, if any. */
export const macroOfCall = (node: Node, findMacro: MacroLookup): Macro | undefined => {
  if (node.op === 'call') return findMacro(node.args[0], false, node.args[1].length)
  if (node.op === 'rcall') return findMacro(node.args[0], true, node.args[2].length)
  return undefined
}

/** State shared by the preparation of all parts of an expression. */
export interface Preparation {
  readonly findMacro: MacroLookup
  /**
   * Counts syntax nodes; throws if the expression, with the functions that it calls, has more than the
   * limit.
   */
  readonly charge: (parts: number) => void
}

/** The problem of a loop or a binding without a name. */
export const notAName = 'a name is expected here'

/** The name that a loop or a binding introduces. */
export const nameOf = (checker: Checker, node: Node | undefined): string => {
  if (node?.op === 'id') return node.args
  throw checker.createError('invalid_macro_argument', notAName, node as Node)
}

/** The receiver of a method macro. The lookup has checked that there is one. */
export const receiverOf = (call: MacroCall): Node => call.receiver as Node

/** The argument at `index`; the lookup has checked the arity. */
export const argumentOf = (call: MacroCall, index: number): Node => call.args[index] as Node

/** The common type of two types; `dyn` if there is none. */
export const commonType = (checker: Checker, a: CelType, b: CelType): CelType =>
  a.unify(checker.registry, b) ?? checker.getType('dyn')
