import { environment } from './environment.ts'
import { macros } from './macros/macros.ts'
import { replacedFunctions } from './functions/functions.ts'

/** Names of all built-in functions, as they are written, and of all variables. */
export const builtInNames = (): ReadonlySet<string> => (names ??= collect())

/** Names of the built-in functions. */
export const builtInFunctionNames = (): ReadonlySet<string> => (functionNames ??= collectFunctions())

/** Registered name of a function → the name that is written in expressions. */
export const writtenNames: ReadonlyMap<string, string> = new Map(
  Array.from(replacedFunctions, ([call, registered]) => [registered, call.split(' ')[1] as string]),
)

let names: ReadonlySet<string> | undefined
let functionNames: ReadonlySet<string> | undefined

const collectFunctions = (): ReadonlySet<string> =>
  new Set([
    ...environment.getDefinitions().functions.map(({ name }) => writtenNames.get(name) ?? name),
    ...macros.map(({ name }) => name),
  ])

const collect = (): ReadonlySet<string> =>
  new Set([...builtInFunctionNames(), ...environment.getDefinitions().variables.map(({ name }) => name)])
