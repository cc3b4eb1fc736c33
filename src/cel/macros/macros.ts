import { bindingMacros } from './bindings.ts'
import { listMacros } from './list-macros.ts'
import type { Macro, MacroLookup } from './macro.ts'
import { mapMacros } from './map-macros.ts'
import { presenceMacros } from './presence.ts'
import { quantifierMacros } from './quantifiers.ts'
import { regexMacros } from './regex-macros.ts'
import { variables } from '../variables.ts'

/** The macro `variables()`. */
export const allVariables: Macro = {
  name: 'variables',
  method: false,
  arity: [0, 0],
  usage: 'variables()',
  description: 'A map of every variable that is set. Makes the gateway buffer bodies.',
  expand: () => ({
    check: (checker) => checker.getType('map'),
    evaluate: (_evaluator, scope) => {
      const values = new Map<string, unknown>()
      for (const { name } of variables) {
        const value = scope.getValue(name)
        if (value !== undefined) values.set(name, value)
      }
      return values
    },
  }),
}

/** Every macro, grouped as in the reference. */
export const macroGroups: readonly { readonly title: string; readonly forms: readonly Macro[] }[] = [
  { title: 'What may be absent', forms: presenceMacros },
  { title: 'Lists', forms: [...quantifierMacros, ...listMacros] },
  { title: 'Maps', forms: mapMacros },
  { title: 'Names', forms: [...bindingMacros, allVariables] },
  { title: 'Regular expressions', forms: regexMacros },
]

/** Every built-in macro. */
export const macros: readonly Macro[] = macroGroups.flatMap((group) => group.forms)

/** The built-in macro of a call, if there is one. */
export const macroOf: MacroLookup = (name, method, argumentCount) =>
  macroAmong(macros, name, method, argumentCount)

/** The macro of a call among `some`, if there is one. */
export const macroAmong = (
  some: readonly Macro[],
  name: string,
  method: boolean,
  argumentCount: number,
): Macro | undefined =>
  some.find(
    (macro) =>
      macro.name === name &&
      macro.method === method &&
      argumentCount >= macro.arity[0] &&
      argumentCount <= macro.arity[1],
  )
