import { EvaluationError } from '@marcbachmann/cel-js'
import type { CelContext } from '../context/context.ts'
import type { CelType, Declaration, Evaluator, LoopScope, Node, Scope } from './cel-js.ts'
import { readVariable } from '../variables.ts'

/** Names and their values during an evaluation. They replace the library's own scopes. */
export interface ValueScope extends Scope {
  /** The scope outside of all loops and functions. */
  readonly root: ValueScope
}

/** The variables of a context, each created when it is read. */
export class ContextScope implements ValueScope {
  readonly context: CelContext

  constructor(context: CelContext) {
    this.context = context
  }

  get root(): ValueScope {
    return this
  }

  getValue(name: string): unknown {
    return readVariable(this.context, name)
  }

  getVariable(): undefined {
    return undefined
  }

  getCheckedValue(_evaluator: Evaluator, node: Node & { op: 'id' }): unknown {
    const value = readVariable(this.context, node.args)
    if (value === undefined) throw notSet(node)
    return value
  }

  forkWithVariable(name: string, type: CelType): LoopScope {
    return new BoundScope(this, name, type)
  }
}

/** A scope with one name more than its parent. */
class BoundScope implements LoopScope, ValueScope {
  readonly root: ValueScope
  readonly #parent: ValueScope
  readonly #name: string
  readonly #type: CelType
  #value: unknown

  constructor(parent: ValueScope, name: string, type: CelType) {
    this.root = parent.root
    this.#parent = parent
    this.#name = name
    this.#type = type
  }

  setIterValue(value: unknown): this {
    this.#value = value
    return this
  }

  getValue(name: string): unknown {
    return name === this.#name ? this.#value : this.#parent.getValue(name)
  }

  getVariable(name: string): Declaration | undefined {
    return name === this.#name ? declared(name, this.#type) : this.#parent.getVariable(name)
  }

  getCheckedValue(evaluator: Evaluator, node: Node & { op: 'id' }): unknown {
    return node.args === this.#name ? this.#value : this.#parent.getCheckedValue(evaluator, node)
  }

  forkWithVariable(name: string, type: CelType): LoopScope {
    return new BoundScope(this, name, type)
  }
}

/**
 * The scope of a function's body: its parameters and the global variables, without the names of its caller.
 */
export class ParameterScope implements ValueScope {
  readonly root: ValueScope
  readonly #names: readonly string[]
  readonly #types: readonly CelType[]
  readonly #values: readonly unknown[]

  constructor(
    root: ValueScope,
    names: readonly string[],
    types: readonly CelType[],
    values: readonly unknown[] = [],
  ) {
    this.root = root
    this.#names = names
    this.#types = types
    this.#values = values
  }

  getValue(name: string): unknown {
    const index = this.#names.indexOf(name)
    return index < 0 ? this.root.getValue(name) : this.#values[index]
  }

  getVariable(name: string): Declaration | undefined {
    const type = this.#types[this.#names.indexOf(name)]
    return type ? declared(name, type) : this.root.getVariable(name)
  }

  getCheckedValue(evaluator: Evaluator, node: Node & { op: 'id' }): unknown {
    const index = this.#names.indexOf(node.args)
    return index < 0 ? this.root.getCheckedValue(evaluator, node) : this.#values[index]
  }

  forkWithVariable(name: string, type: CelType): LoopScope {
    return new BoundScope(this, name, type)
  }
}

/** Names and types, for checking a body before there are values. */
export class DeclarationScope implements ValueScope {
  readonly #declarations: ReadonlyMap<string, Declaration>

  constructor(declarations: ReadonlyMap<string, Declaration>) {
    this.#declarations = declarations
  }

  get root(): ValueScope {
    return this
  }

  getValue(): undefined {
    return undefined
  }

  getVariable(name: string): Declaration | undefined {
    return this.#declarations.get(name)
  }

  getCheckedValue(): undefined {
    return undefined
  }

  forkWithVariable(name: string, type: CelType): LoopScope {
    return new BoundScope(this, name, type)
  }
}

const declared = (name: string, type: CelType): Declaration => ({ name, type, constant: false })

/** The error of an unset name never changes, so that each node needs one only: creating one costs 1.8 µs. */
const notSetAt = new WeakMap<Node, EvaluationError>()

const notSet = (node: Node & { op: 'id' }): EvaluationError => {
  let error = notSetAt.get(node)
  if (!error) {
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    error = new EvaluationError({ code: 'unknown_variable', message: `${node.args} is not set`, node })
    Error.stackTraceLimit = stackTraceLimit
    notSetAt.set(node, error)
  }
  return error
}
