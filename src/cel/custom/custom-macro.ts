import { environment } from '../environment.ts'
import { explainCompileError } from '../engine/explain-error.ts'
import {
  type MacroCall,
  commonType,
  type Expansion,
  type Macro,
  type MacroLookup,
  type Preparation,
  type Reads,
} from '../macros/macro.ts'
import type { CelType, Checker, Evaluator, Node } from '../engine/cel-js.ts'
import { limits } from '../limits.ts'
import { chargeUpTo, tick } from '../engine/cost-meter.ts'
import { readsOf } from '../engine/attribute-references.ts'
import { prepare } from '../engine/prepare.ts'
import { DeclarationScope, ParameterScope, type ValueScope } from '../engine/activation.ts'
import type { FunctionDefinition } from './definition.ts'

/**
 * A function of the configuration, as a macro: each call has its own copy of the body, checked for the types
 * of that call.
 */
export interface CustomMacro extends Macro {
  /** The type of a fresh copy of the body for arguments of these types; throws as the checker does. */
  readonly checkBody: (checker: Checker, types: readonly CelType[], text: string) => CelType
}

/** Makes a macro of a definition. `findMacro` must find the other functions of the configuration only when a body is checked. */
export const customMacro = (definition: FunctionDefinition, findMacro: MacroLookup): CustomMacro => {
  const { name, method, parameters, variadic } = definition
  const written = method ? parameters.slice(1) : parameters
  const fixed = variadic ? written.length - 1 : written.length
  const list = written.map((one, i) => (variadic && i === fixed ? `${one}...` : one)).join(', ')
  const body = definition.body.trimStart()
  let reads: Reads | undefined
  return {
    name,
    method,
    arity: [fixed, variadic ? limits.callArguments : fixed],
    repeats: true,
    usage: `${method ? 'this.' : ''}${name}(${list})`,
    description: 'A function of this configuration.',
    get reads() {
      reads ??= readsOf(environment.parse(body).ast, findMacro, new Set(parameters))
      return reads
    },
    checkBody: (checker, types, text) => {
      const root = environment.parse(definition.body).ast
      prepare(root, { findMacro: findMacro, charge: chargeUpTo(limits.nodes, text) }, true)
      return checker.check(root, parameterTypes(checker, parameters, types))
    },
    expand: (call, preparation) => expand(definition, body, call, preparation),
  }
}

const expand = (
  { name, parameters, variadic }: FunctionDefinition,
  body: string,
  { node, receiver, args }: MacroCall,
  preparation: Preparation,
): Expansion => {
  const root = environment.parse(body).ast
  prepare(root, preparation, true)
  const given = receiver ? [receiver, ...args] : args
  const fixed = variadic ? parameters.length - 1 : parameters.length
  let types: readonly CelType[] = []
  return {
    check: (checker, scope) => {
      const found = given.map((one) => checker.check(one, scope))
      types = variadic ? [...found.slice(0, fixed), listOf(checker, found.slice(fixed))] : found
      try {
        return checker.check(root, parameterTypes(checker, parameters, types))
      } catch (error) {
        throw checker.createError(
          'custom_function',
          `in "${name}": ${explainCompileError(body, error).problem}`,
          node,
        )
      }
    },
    evaluate: (evaluator, scope) => {
      tick()
      const values = given.map((one) => evaluator.run(one, scope))
      if (variadic) values.push(values.splice(fixed))
      return runBody(evaluator, root, (scope as ValueScope).root, parameters, types, values)
    },
  }
}

const runBody = (
  evaluator: Evaluator,
  body: Node,
  root: ValueScope,
  names: readonly string[],
  types: readonly CelType[],
  values: readonly unknown[],
): unknown => evaluator.run(body, new ParameterScope(root, names, types, values))

const parameterTypes = (
  checker: Checker,
  names: readonly string[],
  types: readonly CelType[],
): ParameterScope => new ParameterScope(new DeclarationScope(checker.registry.variables), names, types)

const listOf = (checker: Checker, items: readonly CelType[]): CelType => {
  const [first, ...others] = items
  if (!first) return checker.getType('list')
  return checker.getType(`list<${others.reduce((a, b) => commonType(checker, a, b), first).name}>`)
}
