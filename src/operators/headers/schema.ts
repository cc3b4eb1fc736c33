import {
  formatted,
  listOf,
  mapOf,
  type Properties,
  record,
  type SchemaNode,
} from '../../config/schema/builders.ts'

/** Applied in the order add, set, remove. Names are lower-case. */
export interface HeaderModifier {
  readonly add: readonly (readonly [name: string, value: string])[]
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly remove: readonly string[]
}

const name = { format: 'settableHeader' }

const values = (description: string): SchemaNode =>
  mapOf(formatted('headerValue', 'The value.'), description, { propertyNames: name })

const headerModifier = record('Changes to headers, in the order add, set, remove.', {
  add: values('Headers to add beside those of the same name.'),
  set: values('Headers to put in place of those of the same name.'),
  remove: listOf(formatted('headerName', 'A header.'), 'Headers to remove.'),
})

/** Header names to expressions. */
export const headerExpressions = (description: string, names: string): SchemaNode =>
  mapOf(formatted('cel', 'Gives the value.'), description, { propertyNames: { format: names } })

/** Definitions about headers. */
export const headerDefinitions: Properties = { HeaderModifier: headerModifier }
