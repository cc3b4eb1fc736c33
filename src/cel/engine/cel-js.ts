/**
 * The CEL library as this folder uses it. Its typings cover its users, not those who extend it: syntax nodes have a
 * `meta` record that says how a node is checked and evaluated, and macros receive the checker, the evaluator and the
 * scope. All of that is described here, and nowhere else is anything of the library cast.
 *
 * The library keeps the evaluated value of a loop variable, and with it the last request, in the expression; and its
 * loops, `has`, `matches` and `duration` have no bounds. That is why `forms/` replaces them.
 *
 * @module
 */
import type { ASTNode, Environment } from '@marcbachmann/cel-js'

/** A node of the syntax tree. */
export type Node = ASTNode

/** A static type. */
export interface CelType {
  readonly name: string
  readonly kind: 'primitive' | 'list' | 'map' | 'message' | 'enum' | 'dyn' | 'optional' | 'param'
  readonly keyType?: CelType
  readonly valueType?: CelType
  isDynOrBool(): boolean
  unify(registry: unknown, other: CelType): CelType | null
  /** The member `key`, or undefined. */
  fieldLazy(value: unknown, key: unknown, node: Node, evaluator: Evaluator): unknown
}

/** Names in reach of a node, and at run time their values. */
export interface Scope {
  getValue(name: string): unknown
  /** The value of the name that `node` is; throws if it has none. */
  getCheckedValue(evaluator: Evaluator, node: Node & { op: 'id' }): unknown
  getVariable(name: string): Declaration | undefined
  forkWithVariable(name: string, type: CelType): LoopScope
}

/** What is known of a name before it has a value. */
export interface Declaration {
  readonly name: string
  readonly type: CelType
  /** Its value is known already; see `value`. */
  readonly constant: boolean
  readonly value?: unknown
}

/** A scope with one more name. */
export interface LoopScope extends Scope {
  setIterValue(value: unknown, evaluator: Evaluator): this
}

/** What a macro sees while its expression is type-checked. */
export interface Checker {
  readonly registry: { readonly variables: ReadonlyMap<string, Declaration> }
  check(node: Node, scope: Scope): CelType
  getType(name: string): CelType
  createError(code: string, message: string, node: Node): Error
}

/** What a macro sees while its expression is evaluated. */
export interface Evaluator {
  run(node: Node, scope: Scope): unknown
  debugType(value: unknown): CelType
}

/** How a macro is checked and evaluated. */
export interface Macro {
  readonly typeCheck: (checker: Checker, macro: Macro, scope: Scope) => CelType
  readonly evaluate: (evaluator: Evaluator, macro: Macro, scope: Scope) => unknown
}

type Check = (checker: Checker, node: Node, scope: Scope) => CelType
type Evaluate = (evaluator: Evaluator, node: Node, scope: Scope) => unknown

/** How one node is checked and evaluated; `alternate` and `macro`, in this order, take precedence. */
export interface Meta {
  readonly check: Check
  readonly evaluate: Evaluate
  readonly alternate?: Node | undefined
  readonly macro?: Macro | undefined
  /** Whether evaluation may give a promise. */
  readonly async?: boolean
}

interface NodeInside {
  readonly meta: Meta
  readonly checkedType?: CelType
  setMeta<K extends keyof Meta>(key: K, value: Meta[K]): unknown
}

/** How a node is checked and evaluated. */
export const metaOf = (node: Node): Meta => inside(node).meta

/** The type found by the check, if there was one. */
export const checkedTypeOf = (node: Node): CelType | undefined => inside(node).checkedType

/** Changes how a node is checked or evaluated. */
export const setMeta = <K extends keyof Meta>(node: Node, key: K, value: Meta[K]): void => {
  inside(node).setMeta(key, value)
}

/** Lets a call be checked and evaluated as `macro` says, whatever the parser made of it. */
export const becomeMacro = (node: Node, macro: Macro): void => {
  setMeta(node, 'alternate', undefined)
  setMeta(node, 'macro', macro)
  setMeta(node, 'async', false)
}

/** Changes the value of a literal. */
export const setValue = (node: Node & { op: 'value' }, value: unknown): void => {
  const literal = node as { args: unknown }
  literal.args = value
}

/** Calls another function than the one written. */
export const renameCall = (node: Node & { op: 'call' | 'rcall' }, name: string): void => {
  const args = node.args as [name: string, ...unknown[]]
  args[0] = name
}

/** The nodes directly below. */
export const childrenOf = (node: Node): readonly Node[] => {
  switch (node.op) {
    case 'value':
    case 'id':
      return []
    case '.':
    case '.?':
      return [node.args[0]]
    case 'call':
      return node.args[1]
    case 'rcall':
      return [node.args[1], ...node.args[2]]
    case 'map':
      return node.args.flat()
    case '!_':
    case '-_':
      return [node.args]
    default:
      return node.args
  }
}

/**
 * Runs `use` with the checker of an environment, which the library gives to macros only.
 *
 * @throws What the check throws.
 */
export const withChecker = (environment: Environment, use: (checker: Checker) => CelType): CelType => {
  const program = environment.parse('0')
  let type: CelType | undefined
  setMeta(program.ast, 'check', (checker) => (type = use(checker)))
  const { valid, error } = program.check()
  if (!valid || !type) throw error as Error
  return type
}

/** The evaluator of an environment, which the library gives to macros only. */
export const evaluatorOf = (environment: Environment): Evaluator => {
  const program = environment.parse('0')
  let found: Evaluator | undefined
  setMeta(program.ast, 'evaluate', (evaluator) => (found = evaluator))
  program({})
  return found as unknown as Evaluator // set by the call above
}

const inside = (node: Node): NodeInside => node as unknown as NodeInside
