import type { ValidationRule } from './validation-rule.ts'

/** A structural schema, as CustomResourceDefinitions have it. */
export interface StructuralSchema {
  readonly [keyword: string]: unknown
  readonly type?: string
  readonly description?: string
  readonly default?: unknown
  readonly properties?: Readonly<Record<string, StructuralSchema>>
  readonly required?: readonly string[]
  readonly items?: StructuralSchema
  readonly additionalProperties?: StructuralSchema
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[]
}

/** A field of a custom resource. `Form` is the type of its values. */
export interface SchemaField<Form = unknown> {
  readonly schema: StructuralSchema
  readonly isRequired?: boolean
  /** Never set: it carries the type. */
  readonly form?: Form
}

/** A field that every object has. */
export interface RequiredField<Form = unknown> extends SchemaField<Form> {
  readonly isRequired: true
}

/** Fields by name. */
export type SchemaFields = Readonly<Record<string, SchemaField>>

/**
 * The type of what a field holds.
 *
 * @example
 * type CsrfForm = FormOf<typeof csrfField>
 */
export type FormOf<F extends SchemaField> = F extends SchemaField<infer Form> ? Form : never

/** The type of an object with these fields. */
export type ObjectForm<F extends SchemaFields> = {
  readonly [Name in keyof F as F[Name] extends RequiredField ? Name : never]: FormOf<F[Name]>
} & {
  readonly [Name in keyof F as F[Name] extends RequiredField ? never : Name]?: FormOf<F[Name]>
}

/** What any field may have. */
export interface FieldOptions<Form = unknown> {
  /** Set by the API server where an object around it has no value. */
  readonly default?: Form
  readonly rules?: readonly ValidationRule[]
}

/** Makes a field one that must be given. */
export const requiredField = <Form>(field: SchemaField<Form>): RequiredField<Form> => ({
  ...field,
  isRequired: true,
})

/** The same field with another description. */
export const describedField = <F extends SchemaField>(field: F, description: string): F => ({
  ...field,
  schema: { ...field.schema, description },
})

/** The same field with more rules. */
export const ruledField = <F extends SchemaField>(field: F, ...rules: readonly ValidationRule[]): F => ({
  ...field,
  schema: {
    ...field.schema,
    'x-kubernetes-validations': [...(field.schema['x-kubernetes-validations'] ?? []), ...rules],
  },
})

/** Puts the options of a field into its schema. */
export const schemaField = <Form>(
  schema: StructuralSchema,
  { default: value, rules = [] }: FieldOptions<Form> = {},
): SchemaField<Form> => ({
  schema: {
    ...schema,
    ...(value === undefined ? {} : { default: value }),
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  },
})
