/**
 * A JSON Schema (2020-12) with custom keywords:
 *
 * - `x-within`: fields of the entries of a list that are easily misplaced beside the list;
 * - `x-exactlyOne` and `x-atMostOneOf` (several groups): mutually exclusive fields;
 * - `x-status`: `notSupportedYet` (refused by name) or `noEffect` (accepted with one warning);
 * - `x-notSupportedYet`: values of an enumeration that are refused by name;
 * - `x-ours`: an addition of this gateway, unknown to the reference.
 */
export interface SchemaNode {
  readonly [keyword: string]: unknown
  readonly description?: string
  readonly properties?: Properties
}

/** Fields by name. */
export type Properties = Readonly<Record<string, SchemaNode>>

/** An object with these fields and no others. */
export function record(description: string, properties: Properties, more: SchemaNode = {}): SchemaNode {
  return { type: 'object', description, properties, additionalProperties: false, ...more }
}

/** An object with arbitrary field names. */
export function mapOf(values: SchemaNode, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'object', description, additionalProperties: values, ...more }
}

/** A list of items. */
export function listOf(items: SchemaNode, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'array', description, items, ...more }
}

/** A string. */
export function text(description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'string', description, ...more }
}

/** A string with one of the custom formats (`config/formats.ts`). */
export function formatted(format: string, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'string', format, description, ...more }
}

/** A boolean. */
export function flag(description: string, value?: boolean): SchemaNode {
  return { type: 'boolean', description, ...(value === undefined ? {} : { default: value }) }
}

/** An integer within bounds. */
export function whole(description: string, minimum: number, maximum?: number, value?: number): SchemaNode {
  return {
    type: 'integer',
    description,
    minimum,
    ...(maximum === undefined ? {} : { maximum }),
    ...(value === undefined ? {} : { default: value }),
  }
}

/** A number from 0 to 1. */
export function share(description: string, value?: number): SchemaNode {
  return {
    type: 'number',
    description,
    minimum: 0,
    maximum: 1,
    ...(value === undefined ? {} : { default: value }),
  }
}

/** A string of an enumeration. */
export function words(description: string, choices: readonly string[], value?: string): SchemaNode {
  return { type: 'string', description, enum: choices, ...(value === undefined ? {} : { default: value }) }
}

/** A Go-style duration. */
export const duration = (description: string, value?: string): SchemaNode =>
  formatted('duration', description, value === undefined ? {} : { default: value })

/** An expression of any type. */
export const cel = (description: string): SchemaNode => formatted('cel', description)

/** An expression of type boolean. */
export const conditionField = (description: string): SchemaNode => formatted('celBool', description)

/** A reference to a definition of the schema. */
export function ref(name: string, description?: string): SchemaNode {
  return { $ref: `#/$defs/${name}`, ...(description === undefined ? {} : { description }) }
}

/** Known but not implemented: refused by name. */
export function notYet(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-status': 'notSupportedYet' }
}

/** Accepted with one warning, since it does not affect which requests are allowed. */
export function noEffect(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-status': 'noEffect' }
}

/** An addition of this gateway. */
export function ours(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-ours': true }
}

/** Exactly one of these fields is required. */
export function exactlyOne(...names: readonly string[]): SchemaNode {
  return { 'x-exactlyOne': names }
}

/** At most one field of each group is allowed. */
export function atMostOneOf(...groups: readonly (readonly string[])[]): SchemaNode {
  return { 'x-atMostOneOf': groups }
}

/**
 * A value of one of two types. Not `anyOf`, which would report the problems of both: the type of the value determines
 * the intended alternative.
 */
export function either(description: string, first: SchemaNode, second: SchemaNode): SchemaNode {
  const type = first.type
  return { description, type: [type, second.type], if: { type }, then: first, else: second }
}

/** One item, or a list of them. */
export function oneOrMany(items: SchemaNode, description: string): SchemaNode {
  return { description, if: { type: 'array' }, then: { type: 'array', items, minItems: 1 }, else: items }
}
