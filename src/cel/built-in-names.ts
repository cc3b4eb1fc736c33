import { environment } from './environment.ts'
import { forms } from './forms/forms.ts'
import { replacedFunctions } from './functions/functions.ts'

/** Names of everything that every expression knows: functions as they are written, and variables. */
export const builtInNames = (): ReadonlySet<string> => (names ??= collect())

/** Names of the functions of them. */
export const builtInFunctionNames = (): ReadonlySet<string> => (functionNames ??= collectFunctions())

/** What was written where another function is called. */
export const writtenNames: ReadonlyMap<string, string> = new Map(
  Array.from(replacedFunctions, ([call, registered]) => [registered, call.split(' ')[1] as string]),
)

let names: ReadonlySet<string> | undefined
let functionNames: ReadonlySet<string> | undefined

const collectFunctions = (): ReadonlySet<string> =>
  new Set([
    ...environment.getDefinitions().functions.map(({ name }) => writtenNames.get(name) ?? name),
    ...forms.map(({ name }) => name),
  ])

const collect = (): ReadonlySet<string> =>
  new Set([...builtInFunctionNames(), ...environment.getDefinitions().variables.map(({ name }) => name)])
