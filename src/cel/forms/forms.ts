import { allVariables } from './all-variables.ts'
import { bindingForms } from './bindings.ts'
import type { Form, FormLookup } from './form.ts'
import { listForms } from './list-forms.ts'
import { mapForms } from './map-forms.ts'
import { presenceForms } from './presence.ts'
import { quantifierForms } from './quantifiers.ts'
import { regexForms } from './regex-forms.ts'

/** Every form, grouped as the reference prints them. */
export const formGroups: readonly { readonly title: string; readonly forms: readonly Form[] }[] = [
  { title: 'What may be absent', forms: presenceForms },
  { title: 'Lists', forms: [...quantifierForms, ...listForms] },
  { title: 'Maps', forms: mapForms },
  { title: 'Names', forms: [...bindingForms, allVariables] },
  { title: 'Regular expressions', forms: regexForms },
]

/** Every form. */
export const forms: readonly Form[] = formGroups.flatMap((group) => group.forms)

/** The form that a call is, if it is one. */
export const formOf: FormLookup = (name, method, argumentCount) =>
  formAmong(forms, name, method, argumentCount)

/** The form among some that a call is, if it is one. */
export const formAmong = (
  some: readonly Form[],
  name: string,
  method: boolean,
  argumentCount: number,
): Form | undefined =>
  some.find(
    (form) =>
      form.name === name &&
      form.method === method &&
      argumentCount >= form.arity[0] &&
      argumentCount <= form.arity[1],
  )
