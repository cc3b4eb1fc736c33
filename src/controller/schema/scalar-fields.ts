import { type SchemaField, type FieldOptions, schemaField } from './field.ts'

/** A string. Without `maxLength` rules that read it cost too much. */
export const stringField = (
  description: string,
  options: FieldOptions<string> & {
    readonly minLength?: number
    readonly maxLength: number
    readonly pattern?: string
    readonly format?: string
  },
): SchemaField<string> => {
  const { minLength, maxLength, pattern, format } = options
  return schemaField(
    {
      type: 'string',
      description,
      ...(format === undefined ? {} : { format }),
      ...(minLength === undefined ? {} : { minLength }),
      maxLength,
      ...(pattern === undefined ? {} : { pattern }),
    },
    options,
  )
}

/** One of some words. */
export const enumField = <const Words extends readonly string[]>(
  description: string,
  words: Words,
  options: FieldOptions<Words[number]> = {},
): SchemaField<Words[number]> => schemaField({ type: 'string', description, enum: words }, options)

/** An integer within bounds. */
export const integerField = (
  description: string,
  options: FieldOptions<number> & { readonly minimum?: number; readonly maximum?: number } = {},
): SchemaField<number> => {
  const { minimum, maximum } = options
  return schemaField(
    {
      type: 'integer',
      description,
      format: maximum !== undefined && maximum <= 2 ** 31 - 1 ? 'int32' : 'int64',
      ...(minimum === undefined ? {} : { minimum }),
      ...(maximum === undefined ? {} : { maximum }),
    },
    options,
  )
}

/** True or false. */
export const booleanField = (
  description: string,
  options: FieldOptions<boolean> = {},
): SchemaField<boolean> => schemaField({ type: 'boolean', description }, options)

/** An integer, or text such as a quantity. */
export const intOrStringField = (
  description: string,
  options: FieldOptions<number | string> & { readonly pattern?: string; readonly maxLength?: number } = {},
): SchemaField<number | string> => {
  const { pattern, maxLength } = options
  return schemaField(
    {
      description,
      anyOf: [{ type: 'integer' }, { type: 'string' }],
      'x-kubernetes-int-or-string': true,
      ...(pattern === undefined ? {} : { pattern }),
      ...(maxLength === undefined ? {} : { maxLength }),
    },
    options,
  )
}
