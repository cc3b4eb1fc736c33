import { environment } from '../environment.ts'
import { explain } from '../explain.ts'
import { type Call, commonType, type Expansion, type Form, type Preparation } from '../forms/form.ts'
import type { CelType, Checker, Evaluator, Node } from '../library.ts'
import { limits } from '../limits.ts'
import { tick } from '../meter.ts'
import { type Reads, readsOf } from '../needs.ts'
import { prepare } from '../prepare.ts'
import { DeclarationScope, ParameterScope, type ValueScope } from '../scope.ts'
import { spendUpTo } from '../spend.ts'
import type { CustomFunctions } from './custom-functions.ts'
import type { Definition } from './definition.ts'

/** A function that somebody defined, as a form: each call has a body of its own, checked for the types it is called with. */
export interface CustomForm extends Form {
  /** The type of a body of its own for arguments of these types; throws what the checker does. */
  readonly checkBody: (checker: Checker, types: readonly CelType[], text: string) => CelType
}

/** Makes a form of a definition. `all` may still be filled while this is called. */
export const customForm = (definition: Definition, all: CustomFunctions): CustomForm => {
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
      reads ??= readsOf(environment.parse(body).ast, all.formOf, new Set(parameters))
      return reads
    },
    checkBody: (checker, types, text) => {
      const root = environment.parse(definition.body).ast
      prepare(root, { formOf: all.formOf, spend: spendUpTo(limits.nodes, text) }, true)
      return checker.check(root, parameterTypes(checker, parameters, types))
    },
    expand: (call, preparation) => expand(definition, body, call, preparation),
  }
}

const expand = (
  { name, parameters, variadic }: Definition,
  body: string,
  { node, receiver, args }: Call,
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
        throw checker.createError('custom_function', `in "${name}": ${explain(body, error).problem}`, node)
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
