/**
 * A JSON Schema (2020-12), plus our own keywords:
 *
 * - `x-within`: fields of the entries of a list, which users may write beside the list by mistake;
 * - `x-exactlyOne` and `x-atMostOneOf` (several groups): which fields exclude one another;
 * - `x-status`: `notSupportedYet` (refused by name) or `noEffect` (accepted with one warning);
 * - `x-notSupportedYet`: words of an enumeration that are refused by name;
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

/** An object whose field names are free. */
export function mapOf(values: SchemaNode, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'object', description, additionalProperties: values, ...more }
}

/** A list of such things. */
export function listOf(items: SchemaNode, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'array', description, items, ...more }
}

/** A string. */
export function text(description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'string', description, ...more }
}

/** A string checked by one of our formats (`config/formats.ts`). */
export function formatted(format: string, description: string, more: SchemaNode = {}): SchemaNode {
  return { type: 'string', format, description, ...more }
}

/** True or false. */
export function flag(description: string, value?: boolean): SchemaNode {
  return { type: 'boolean', description, ...(value === undefined ? {} : { default: value }) }
}

/** A whole number within bounds. */
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

/** One of several words. */
export function words(description: string, choices: readonly string[], value?: string): SchemaNode {
  return { type: 'string', description, enum: choices, ...(value === undefined ? {} : { default: value }) }
}

/** A Go-style duration. */
export const duration = (description: string, value?: string): SchemaNode =>
  formatted('duration', description, value === undefined ? {} : { default: value })

/** An expression of any type. */
export const cel = (description: string): SchemaNode => formatted('cel', description)

/** An expression that is true or false. */
export const conditionField = (description: string): SchemaNode => formatted('celBool', description)

/** Another part of the schema, by name. */
export function ref(name: string, description?: string): SchemaNode {
  return { $ref: `#/$defs/${name}`, ...(description === undefined ? {} : { description }) }
}

/** Known, but not supported yet: refused by name. */
export function notYet(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-status': 'notSupportedYet' }
}

/** Accepted with a warning: it has no effect on which requests pass. */
export function noEffect(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-status': 'noEffect' }
}

/** An addition of this gateway. */
export function ours(schema: SchemaNode): SchemaNode {
  return { ...schema, 'x-ours': true }
}

/** The field names must not be combined; one of them is needed. */
export function exactlyOne(...names: readonly string[]): SchemaNode {
  return { 'x-exactlyOne': names }
}

/** Of each group, one field at most. */
export function atMostOneOf(...groups: readonly (readonly string[])[]): SchemaNode {
  return { 'x-atMostOneOf': groups }
}

/**
 * A value of one of two types. Not `anyOf`, which would report what is wrong with either: here the type of the value
 * decides what it was meant to be.
 */
export function either(description: string, first: SchemaNode, second: SchemaNode): SchemaNode {
  const type = first.type
  return { description, type: [type, second.type], if: { type }, then: first, else: second }
}

/** One such thing, or a list of them. */
export function oneOrMany(items: SchemaNode, description: string): SchemaNode {
  return { description, if: { type: 'array' }, then: { type: 'array', items, minItems: 1 }, else: items }
}
