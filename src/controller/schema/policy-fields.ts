/**
 * Objects that several policies share.
 *
 * @module
 */
import { type SchemaField, type FormOf, requiredField } from './field.ts'
import { listField, mapField, objectField } from './object-fields.ts'
import { enumField, integerField, stringField } from './scalar-fields.ts'
import { atLeastOneOf } from './validation-rule.ts'
import {
  celField,
  durationTextField,
  httpHeaderNameField,
  shortStringField,
  tinyStringField,
} from './value-fields.ts'

/** A name with an expression. */
export const namedExpressionField = (description: string) =>
  objectField(description, {
    name: requiredField(shortStringField('Name.')),
    expression: requiredField(celField('Expression that gives the value.')),
  })

/** Attributes that are added to and removed from what telemetry has by default. */
export const attributesField = (description: string) =>
  objectField(
    description,
    {
      add: listField('Attributes to add.', namedExpressionField('An attribute.'), {
        minItems: 1,
        maxItems: 64,
      }),
      remove: listField('Names of attributes to leave out.', tinyStringField('Name.'), {
        minItems: 1,
        maxItems: 32,
      }),
    },
    { rules: [atLeastOneOf('add', 'remove')] },
  )

/** Rules that let requests pass or refuse them. */
export const authorizationField = (description: string) =>
  objectField(description, {
    action: enumField('What a rule that holds means.', ['Allow', 'Deny', 'Require'], { default: 'Allow' }),
    policy: requiredField(
      objectField('The rules.', {
        matchExpressions: requiredField(
          listField('Expressions, of which one is enough.', celField('Expression.'), {
            minItems: 1,
            maxItems: 256,
          }),
        ),
      }),
    ),
  })

/** What `authorizationField` holds. */
export type AuthorizationForm = FormOf<ReturnType<typeof authorizationField>>

/** Probes of idle TCP connections. */
export const keepaliveField = (description: string) =>
  objectField(description, {
    interval: durationTextField('Time between probes.', { minimum: '1s' }),
    retries: integerField('Probes without a response after which a connection ends.', {
      minimum: 1,
      maximum: 64,
    }),
    time: durationTextField('Time without traffic before the first probe.', { minimum: '1s' }),
  })

/** Objects with keys by labels. Without one, every Secret of the namespace would be a key, those of upstreams included. */
export const matchLabelsField = (description: string) =>
  objectField(description, {
    matchLabels: requiredField(
      mapField('Labels that an object must have.', stringField('Value.', { maxLength: 63 }), {
        minProperties: 1,
        maxProperties: 64,
      }),
    ),
  })

/** Expressions by name. */
export const expressionsField = (description: string): SchemaField<Readonly<Record<string, string>>> =>
  mapField(description, celField('Expression.'), { maxProperties: 64 })

const headerValues = (description: string) =>
  listField(
    description,
    objectField('A header.', {
      name: requiredField(httpHeaderNameField('Name of the header.')),
      value: requiredField(stringField('Value.', { minLength: 1, maxLength: 4096 })),
    }),
    { maxItems: 16, keys: ['name'] },
  )

/** Changes of headers, as filters of routes have them. */
export const headerFilterField = (description: string) =>
  objectField(description, {
    add: headerValues('Headers to add to those of the same name.'),
    remove: listField('Names of headers to remove.', shortStringField('Name.'), {
      maxItems: 16,
      isSet: true,
    }),
    set: headerValues('Headers to set in place of those of the same name.'),
  })

/** What `headerFilterField` holds. */
export type HeaderFilterForm = FormOf<ReturnType<typeof headerFilterField>>

/**
 * Headers with values, as the maps of the file. The schema keeps names unique to the letter; of names that differ in case
 * only, the first counts, as the Gateway API has it.
 */
export const headerValuesByName = (
  headers: readonly { readonly name: string; readonly value: string }[],
): Record<string, string> => {
  const first = new Map(headers.map((one) => [one.name.toLowerCase(), one] as const).reverse())
  return Object.fromEntries(
    headers
      .filter((one) => first.get(one.name.toLowerCase()) === one)
      .map(({ name, value }) => [name, value]),
  )
}
