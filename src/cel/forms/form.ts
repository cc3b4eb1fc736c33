import type { CelType, Checker, Evaluator, Node, Scope } from '../library.ts'
import type { Reads } from '../needs.ts'

/** A call as it was written. */
export interface Call {
  readonly node: Node
  /** What stands before the dot; undefined for `name(…)`. */
  readonly receiver: Node | undefined
  readonly args: readonly Node[]
}

/** What a form makes of one call. */
export interface Expansion {
  /** The type of the result; throws what `checker.createError` gives. */
  check(checker: Checker, scope: Scope): CelType
  evaluate(evaluator: Evaluator, scope: Scope): unknown
}

/** A call that decides itself what becomes of its arguments: they may stay unevaluated, fail, or see a new name. */
export interface Form {
  readonly name: string
  /** Called as `receiver.name(…)`. */
  readonly method: boolean
  /** Fewest and most arguments. */
  readonly arity: readonly [least: number, most: number]
  /** The first argument is a name that the others see. */
  readonly binds?: boolean
  /** It may use the value of an argument more often than once. */
  readonly repeats?: boolean
  /** What it reads besides its arguments. */
  readonly reads?: Reads
  readonly usage: string
  readonly description: string
  readonly expand: (call: Call, preparation: Preparation) => Expansion
}

/** Finds the form that a call is, if it is one. */
export type FormLookup = (name: string, method: boolean, argumentCount: number) => Form | undefined

/** What holds for all of an expression while it is readied. */
export interface Preparation {
  readonly formOf: FormLookup
  /** Counts parts; throws beyond what an expression may have, with the functions that it calls. */
  readonly spend: (parts: number) => void
}

/** What is wrong where a loop or a binding has no name. */
export const notAName = 'a name is expected here'

/** The name that a loop or a binding introduces. */
export const nameOf = (checker: Checker, node: Node | undefined): string => {
  if (node?.op === 'id') return node.args
  throw checker.createError('invalid_macro_argument', notAName, node as Node)
}

/** The receiver of a method form; the parser has seen to it that there is one. */
export const receiverOf = (call: Call): Node => call.receiver as Node

/** The argument at `index`; its arity has been checked. */
export const argumentOf = (call: Call, index: number): Node => call.args[index] as Node

/** The type that values of both types have; dynamic if there is none. */
export const commonType = (checker: Checker, a: CelType, b: CelType): CelType =>
  a.unify(checker.registry, b) ?? checker.getType('dyn')
