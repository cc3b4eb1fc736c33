import { formatted, listOf, mapOf, record } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'

const name = { format: 'settableHeader' }

const values = (description: string): Schema =>
  mapOf(formatted('headerValue', 'The value.'), description, { propertyNames: name })

const headerModifier = record('Changes to headers, in the order add, set, remove.', {
  add: values('Headers to add beside those of the same name.'),
  set: values('Headers to put in place of those of the same name.'),
  remove: listOf(formatted('headerName', 'A header.'), 'Headers to remove.'),
})

/** Header names to expressions. */
export const headerExpressions = (description: string, names: string): Schema =>
  mapOf(formatted('cel', 'Gives the value.'), description, { propertyNames: { format: names } })

/** Definitions about headers. */
export const headerDefinitions: Properties = { HeaderModifier: headerModifier }
