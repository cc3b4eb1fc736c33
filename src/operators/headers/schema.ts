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
  mapOf(formatted('headerValue', 'Header value.'), description, { propertyNames: name })

const headerModifier = record('Header changes, applied in the order add, set, remove.', {
  add: values('Headers to add; existing values are kept.'),
  set: values('Headers to set; existing values are replaced.'),
  remove: listOf(formatted('headerName', 'Header name.'), 'Headers to remove.'),
})

/** Header names to expressions. */
export const headerExpressions = (description: string, names: string): SchemaNode =>
  mapOf(formatted('cel', 'Expression that returns the value.'), description, {
    propertyNames: { format: names },
  })

/** Definitions of header changes. */
export const headerDefinitions: Properties = { HeaderModifier: headerModifier }
