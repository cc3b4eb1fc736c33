/**
 * The interface of the CEL library that this folder uses. Its typings cover its users, not those who extend
 * it: syntax nodes have a `meta` record that defines how a node is checked and evaluated, and macros receive
 * the checker, the evaluator and the scope. All of that is declared here, and casts of the library's types
 * exist only here.
 *
 * The library stores the evaluated value of a loop variable, and with it the last request, in the
 * expression; and its loops, `has`, `matches` and `duration` have no bounds. That is why `macros/` replaces
 * them.
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

/** Names that are visible at a node, and their values at run time. */
export interface Scope {
  getValue(name: string): unknown
  /** The value of the name of `node`; throws if it has none. */
  getCheckedValue(evaluator: Evaluator, node: Node & { op: 'id' }): unknown
  getVariable(name: string): Declaration | undefined
  forkWithVariable(name: string, type: CelType): LoopScope
}

/** Static information about a name. */
export interface Declaration {
  readonly name: string
  readonly type: CelType
  /** Its value is constant; see `value`. */
  readonly constant: boolean
  readonly value?: unknown
}

/** A scope with one more name. */
export interface LoopScope extends Scope {
  setIterValue(value: unknown, evaluator: Evaluator): this
}

/** The interface of a macro to the type checker. */
export interface Checker {
  readonly registry: { readonly variables: ReadonlyMap<string, Declaration> }
  check(node: Node, scope: Scope): CelType
  getType(name: string): CelType
  createError(code: string, message: string, node: Node): Error
}

/** The interface of a macro to the evaluator. */
export interface Evaluator {
  run(node: Node, scope: Scope): unknown
  debugType(value: unknown): CelType
}

/** How a macro is checked and evaluated. */
export interface LibraryMacro {
  readonly typeCheck: (checker: Checker, macro: LibraryMacro, scope: Scope) => CelType
  readonly evaluate: (evaluator: Evaluator, macro: LibraryMacro, scope: Scope) => unknown
}

type Check = (checker: Checker, node: Node, scope: Scope) => CelType
type Evaluate = (evaluator: Evaluator, node: Node, scope: Scope) => unknown

/** How one node is checked and evaluated; `alternate` and `macro`, in this order, take precedence. */
export interface Meta {
  readonly check: Check
  readonly evaluate: Evaluate
  readonly alternate?: Node | undefined
  readonly macro?: LibraryMacro | undefined
  /** Whether evaluation may return a promise. */
  readonly async?: boolean
}

interface NodeInside {
  readonly meta: Meta
  readonly checkedType?: CelType
  setMeta<K extends keyof Meta>(key: K, value: Meta[K]): unknown
}

/** How a node is checked and evaluated. */
export const metaOf = (node: Node): Meta => inside(node).meta

/** The type that the check determined, if the node was checked. */
export const checkedTypeOf = (node: Node): CelType | undefined => inside(node).checkedType

/** Changes how a node is checked or evaluated. */
export const setMeta = <K extends keyof Meta>(node: Node, key: K, value: Meta[K]): void => {
  inside(node).setMeta(key, value)
}

/** Makes a call be checked and evaluated by `macro`, whatever the parser made of it. */
export const becomeMacro = (node: Node, macro: LibraryMacro): void => {
  setMeta(node, 'alternate', undefined)
  setMeta(node, 'macro', macro)
  setMeta(node, 'async', false)
}

/** Changes the value of a literal. */
export const setValue = (node: Node & { op: 'value' }, value: unknown): void => {
  const literal = node as { args: unknown }
  literal.args = value
}

/** Makes a call use another registered function. */
export const renameCall = (node: Node & { op: 'call' | 'rcall' }, name: string): void => {
  const args = node.args as [name: string, ...unknown[]]
  args[0] = name
}

/** The child nodes. */
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
 * Runs `use` with the checker of an environment. The library passes the checker to macros only.
 *
 * @throws The error of the check.
 */
export const withChecker = (environment: Environment, use: (checker: Checker) => CelType): CelType => {
  const program = environment.parse('0')
  let type: CelType | undefined
  setMeta(program.ast, 'check', (checker) => (type = use(checker)))
  const { valid, error } = program.check()
  if (!valid || !type) throw error as Error
  return type
}

/** The evaluator of an environment. The library passes it to macros only. */
export const evaluatorOf = (environment: Environment): Evaluator => {
  const program = environment.parse('0')
  let found: Evaluator | undefined
  setMeta(program.ast, 'evaluate', (evaluator) => (found = evaluator))
  program({})
  return found as unknown as Evaluator // set by the call above
}

const inside = (node: Node): NodeInside => node as unknown as NodeInside
