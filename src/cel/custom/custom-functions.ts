import { CelError, positionAt } from '../engine/compile-error.ts'
import { builtInNames } from '../built-in-names.ts'
import { environment } from '../environment.ts'
import { explainCompileError } from '../engine/explain-error.ts'
import type { Macro, MacroLookup } from '../macros/macro.ts'
import { macroAmong, macroOf } from '../macros/macros.ts'
import { withChecker } from '../engine/cel-js.ts'
import { checkTreeDepth } from '../engine/tree-depth.ts'
import { customMacro } from './custom-macro.ts'
import { callCycle, type CallBody } from './call-cycle.ts'
import { type FunctionDefinition, readDefinitions } from './definition.ts'

/** The functions of a configuration, which all of its expressions may call. */
export interface CustomFunctions {
  readonly macros: readonly Macro[]
  /** Finds these functions and the built-in macros. */
  readonly findMacro: MacroLookup
}

/** No functions. */
export const noCustomFunctions: CustomFunctions = { macros: [], findMacro: macroOf }

/**
 * Parses and checks definitions of functions.
 *
 * @throws {CelError} for syntax errors, names that are taken, functions that call themselves, and bodies that
 *   are not expressions.
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
  const macros: Macro[] = []
  const all: CustomFunctions = {
    macros,
    findMacro: (name, method, count) =>
      macroAmong(macros, name, method, count) ?? macroOf(name, method, count),
  }
  for (const body of bodies) macros.push(customMacro(body.definition, all.findMacro))
  for (const { definition } of bodies) checkBody(text, definition, all)
  return all
}

const checkNames = (text: string, definitions: readonly FunctionDefinition[]): void => {
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

const parseBody = (text: string, definition: FunctionDefinition): CallBody => {
  try {
    const root = environment.parse(definition.body).ast
    checkTreeDepth(text, root)
    return { definition, root }
  } catch (error) {
    throw inFunction(
      definition,
      error instanceof CelError ? error : explainCompileError(definition.body, error),
    )
  }
}

/** Checks a function on its own, since it may be called with values of any type, or never. */
const checkBody = (text: string, definition: FunctionDefinition, all: CustomFunctions): void => {
  const macro = all.macros.find(
    ({ name, method }) => name === definition.name && method === definition.method,
  )
  try {
    withChecker(environment, (checker) => {
      const types = definition.parameters.map(() => checker.getType('dyn'))
      return (macro as ReturnType<typeof customMacro>).checkBody(checker, types, text)
    })
  } catch (error) {
    throw inFunction(
      definition,
      error instanceof CelError
        ? error
        : explainCompileError(definition.body, error, all.macros, definition.parameters),
    )
  }
}

const inFunction = ({ name }: FunctionDefinition, { problem, position, hint }: CelError): CelError =>
  new CelError(`in "${name}": ${problem}`, position, hint)
