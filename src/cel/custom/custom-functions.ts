import { CelError, positionAt } from '../cel-error.ts'
import { builtInNames } from '../built-in-names.ts'
import { environment } from '../environment.ts'
import { explain } from '../explain.ts'
import type { Form, FormLookup } from '../forms/form.ts'
import { formAmong, formOf } from '../forms/forms.ts'
import { withChecker } from '../library.ts'
import { checkTreeDepth } from '../tree-depth.ts'
import { customForm } from './custom-form.ts'
import { callCycle, type Body } from './call-cycle.ts'
import { type Definition, readDefinitions } from './definition.ts'

/** Functions that somebody defined, and every expression of a configuration may call. */
export interface CustomFunctions {
  readonly forms: readonly Form[]
  /** Finds these, and those that are built in. */
  readonly formOf: FormLookup
}

/** None. */
export const noCustomFunctions: CustomFunctions = { forms: [], formOf }

/**
 * Reads and checks definitions of functions.
 *
 * @throws {CelError} for what can never work: syntax, names that are taken, functions that call themselves, bodies that
 *   are no expressions.
 * @example
 * customFunctions('isLocal(address) { cidr("10.0.0.0/8").containsIP(address) }')
 */
export const customFunctions = (text: string): CustomFunctions => {
  const definitions = readDefinitions(text)
  checkNames(text, definitions)
  const bodies = definitions.map((definition) => parseBody(text, definition))
  const cycle = callCycle(bodies)
  if (cycle)
    throw new CelError(cycle.problem, positionAt(text, cycle.offset), 'functions cannot call themselves')
  const forms: Form[] = []
  const all: CustomFunctions = {
    forms,
    formOf: (name, method, count) => formAmong(forms, name, method, count) ?? formOf(name, method, count),
  }
  for (const body of bodies) forms.push(customForm(body.definition, all))
  for (const { definition } of bodies) checkBody(text, definition, all)
  return all
}

const checkNames = (text: string, definitions: readonly Definition[]): void => {
  const known = new Set<string>()
  for (const { name, method, offset } of definitions) {
    const position = positionAt(text, offset)
    if (builtInNames().has(name))
      throw new CelError(`"${name}" is built in`, position, 'choose another name for the function')
    const key = `${method ? 'this.' : ''}${name}`
    if (known.has(key)) throw new CelError(`"${key}" is defined twice`, position, undefined)
    known.add(key)
  }
}

const parseBody = (text: string, definition: Definition): Body => {
  try {
    const root = environment.parse(definition.body).ast
    checkTreeDepth(text, root)
    return { definition, root }
  } catch (error) {
    throw inFunction(definition, error instanceof CelError ? error : explain(definition.body, error))
  }
}

/** Checks a function on its own, since it may be called with anything, or not at all. */
const checkBody = (text: string, definition: Definition, all: CustomFunctions): void => {
  const form = all.forms.find(({ name, method }) => name === definition.name && method === definition.method)
  try {
    withChecker(environment, (checker) => {
      const types = definition.parameters.map(() => checker.getType('dyn'))
      return (form as ReturnType<typeof customForm>).checkBody(checker, types, text)
    })
  } catch (error) {
    throw inFunction(
      definition,
      error instanceof CelError ? error : explain(definition.body, error, all, definition.parameters),
    )
  }
}

const inFunction = ({ name }: Definition, { problem, position, hint }: CelError): CelError =>
  new CelError(`in "${name}": ${problem}`, position, hint)
