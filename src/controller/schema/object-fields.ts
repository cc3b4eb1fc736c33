import {
  type SchemaField,
  type FieldOptions,
  schemaField,
  type SchemaFields,
  type ObjectForm,
} from './field.ts'

/**
 * An object with these fields; others are dropped by the API server.
 *
 * @example
 * objectField('Where to listen.', { host: requiredField(shortStringField('Name.')), port: portField('Port.') })
 */
export const objectField = <F extends SchemaFields>(
  description: string,
  fields: F,
  options: FieldOptions<ObjectForm<F>> & {
    /** Whether other fields are kept. */
    readonly preservesUnknown?: boolean
  } = {},
): SchemaField<ObjectForm<F>> =>
  schemaField(
    {
      type: 'object',
      description,
      ...(Object.keys(fields).length === 0
        ? {}
        : {
            properties: Object.fromEntries(
              Object.entries(fields)
                .sort(([a], [b]) => (a < b ? -1 : 1))
                .map(([name, { schema }]) => [name, schema]),
            ),
          }),
      ...requiredOf(fields),
      ...(options.preservesUnknown === true ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    },
    options,
  )

/** An object of any content. */
export const openObjectField = (
  description: string,
  options: FieldOptions<Readonly<Record<string, unknown>>> = {},
): SchemaField<Readonly<Record<string, unknown>>> =>
  schemaField({ type: 'object', description, 'x-kubernetes-preserve-unknown-fields': true }, options)

/** Any JSON value. */
export const anyField = (description: string): SchemaField =>
  schemaField({ description, 'x-kubernetes-preserve-unknown-fields': true })

/** Values by name. The bound is what keeps rules within the budget of the API server. */
export const mapField = <Form>(
  description: string,
  values: SchemaField<Form>,
  options: FieldOptions<Readonly<Record<string, Form>>> & {
    readonly minProperties?: number
    readonly maxProperties: number
  },
): SchemaField<Readonly<Record<string, Form>>> =>
  schemaField(
    {
      type: 'object',
      description,
      additionalProperties: values.schema,
      ...(options.minProperties === undefined ? {} : { minProperties: options.minProperties }),
      maxProperties: options.maxProperties,
    },
    options,
  )

/** A list. The bound is what keeps rules within the budget of the API server. */
export const listField = <Form>(
  description: string,
  items: SchemaField<Form>,
  options: FieldOptions<readonly Form[]> & {
    readonly minItems?: number
    readonly maxItems: number
    /** Fields that no two entries may agree in; entries are merged by them. They must be required or have a default. */
    readonly keys?: readonly string[]
    /** Whether no two entries, which are scalars, may be equal. */
    readonly isSet?: boolean
  },
): SchemaField<readonly Form[]> =>
  schemaField(
    {
      type: 'array',
      description,
      items: items.schema,
      ...(options.minItems === undefined ? {} : { minItems: options.minItems }),
      maxItems: options.maxItems,
      ...(options.keys === undefined
        ? {}
        : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': options.keys }),
      ...(options.isSet === true ? { 'x-kubernetes-list-type': 'set' } : {}),
    },
    options,
  )

const requiredOf = (fields: SchemaFields): { readonly required?: readonly string[] } => {
  const required = Object.keys(fields)
    .filter((name) => fields[name]?.isRequired)
    .sort()
  return required.length === 0 ? {} : { required }
}
