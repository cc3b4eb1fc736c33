import { fieldName } from '../http/field-name.ts'
import { isFieldValue } from '../http/field-syntax.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import type { ArgumentGroup } from './input-schema.ts'
import type { ParameterPlan, Style } from './open-api-tool.ts'
import type { Operation } from './operations.ts'
import { own } from './own-property.ts'
import type { References } from './references.ts'
import { shortText } from './schema-keywords.ts'
import type { Converted, SchemaPool } from './schema-pool.ts'

/** The locations of parameters in a request. */
export const parameterLocations = ['path', 'query', 'header', 'cookie'] as const

/** The location of a parameter. */
export type ParameterLocation = (typeof parameterLocations)[number]

/** A parameter of an operation. */
export interface Parameter {
  readonly location: ParameterLocation
  readonly isRequired: boolean
  readonly plan: ParameterPlan
  readonly converted: Converted
}

/**
 * The parameters of an operation: its own, and those of its path that it does not override. `onOmitted` is
 * called for header parameters that callers must not set.
 */
export const parametersOf = (
  { source, pathItem }: Operation,
  references: References,
  pool: SchemaPool,
  onOmitted: (reason: string) => void,
): readonly Parameter[] => {
  const found = new Map<string, JsonObject>()
  for (const list of [own(pathItem, 'parameters'), own(source, 'parameters')]) {
    if (!Array.isArray(list)) continue
    for (const entry of list) {
      const one = references.follow(entry)
      if (!isJsonObject(one) || typeof one.name !== 'string' || typeof one.in !== 'string')
        throw new ConversionError('has a parameter without `name` or `in`')
      const key = one.in === 'header' ? one.name.toLowerCase() : one.name
      found.set(`${one.in} ${key}`, one)
    }
  }
  return [...found.values()].flatMap((one) => {
    const location = parameterLocations.find((name) => name === one.in)
    if (!location)
      throw new ConversionError(`has a parameter in ${quoted(String(one.in))}, which is not supported`)
    const argument = one.name as string
    if (argument === '__proto__') throw new ConversionError('has a parameter by the name of `__proto__`')
    if (location === 'header' && !mayBeSet(argument, onOmitted)) return []
    if (location === 'cookie' && !isCookieName(argument))
      throw new ConversionError(`has a cookie parameter whose name is none: ${quoted(argument)}`)
    return [parameter(one, location, argument, pool)]
  })
}

/** The group of arguments for one location; undefined if it has no parameters. */
export const groupOf = (
  location: ParameterLocation,
  all: readonly Parameter[],
): ArgumentGroup | undefined => {
  const here = all.filter((one) => one.location === location)
  if (here.length === 0) return undefined
  const required = here.filter(({ isRequired }) => isRequired).map(({ plan }) => plan.argument)
  return {
    name: location,
    isRequired: required.length > 0,
    parts: here.map(({ converted }) => converted),
    schema: {
      type: 'object',
      properties: Object.fromEntries(here.map(({ plan, converted }) => [plan.argument, converted.schema])),
      ...(required.length > 0 && { required }),
      additionalProperties: false,
    },
  }
}

const parameter = (
  source: JsonObject,
  location: ParameterLocation,
  argument: string,
  pool: SchemaPool,
): Parameter => {
  const content = own(source, 'content')
  const [media] = isJsonObject(content) ? Object.entries(content) : []
  const schemaSource = media ? isJsonObject(media[1]) && media[1].schema : own(source, 'schema')
  const converted = pool.convert(schemaSource === false && media ? undefined : schemaSource)
  const style = styles[location].find((name) => name === source.style) ?? styles[location][0]
  return {
    location,
    isRequired: location === 'path' || source.required === true,
    plan: {
      name: location === 'header' ? argument.toLowerCase() : argument,
      argument,
      style,
      explode: typeof source.explode === 'boolean' ? source.explode : style === 'form' || style === 'cookie',
      isJson: media !== undefined && /[/+]json\b/i.test(media[0]),
      allowReserved: source.allowReserved === true,
    },
    converted: { ...converted, schema: described(converted.schema, source) },
  }
}

/** The first is the default. */
const styles: Readonly<Record<ParameterLocation, readonly [Style, ...Style[]]>> = {
  path: ['simple', 'label', 'matrix'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  header: ['simple'],
  cookie: ['form', 'cookie'],
}

const described = (schema: Converted['schema'], source: JsonObject): Converted['schema'] => {
  const description = shortText(source.description)
  const isDeprecated = source.deprecated === true
  if (schema === false || (!description && !isDeprecated)) return schema
  return {
    ...(schema === true ? {} : schema),
    ...(description && { description }),
    ...(isDeprecated && { deprecated: true }),
  }
}

/**
 * Whether a caller's arguments may set this field. Excluded are fields of routing, framing and identity:
 * gateways set them and servers trust them. Others are described by other parts of the document.
 */
const mayBeSet = (name: string, onOmitted: (reason: string) => void): boolean => {
  const field = fieldName(name)
  if (!field || !isFieldValue(name))
    throw new ConversionError(`has a header parameter whose name is none: ${quoted(name)}`)
  if (ignoredFields.has(field.name)) return false
  const isFree =
    field.kind === 'end-to-end' &&
    !ofGateways.has(field.name) &&
    !/^(x-forwarded|mcp|proxy)-/.test(field.name)
  if (!isFree) onOmitted(`leaves out the header parameter ${quoted(name)}, which is not for callers to set`)
  return isFree
}

const ignoredFields = new Set(['accept', 'authorization', 'content-type'])
const ofGateways = new Set(['accept-encoding', 'content-encoding', 'forwarded', 'via', 'x-real-ip'])

const isCookieName = (name: string): boolean => /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)
