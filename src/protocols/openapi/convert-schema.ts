import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { ConversionError } from './conversion-error.ts'
import { own } from './own-property.ts'
import { plainKeywords, schemaKeywords, shortText } from './schema-keywords.ts'

/** A schema of JSON Schema 2020-12. */
export type Schema = JsonObject | boolean

/** The context of a conversion. */
export interface Surroundings {
  /** Up to OpenAPI 3.0, members beside a `$ref` are ignored. */
  readonly isOld: boolean
  /** The name in `$defs` of a reference's target, or the schema itself if it is true or false. */
  refer(reference: string, isInPlace: boolean): string | boolean
  follow(value: unknown): unknown
}

const MAX_DEPTH = 64
const MAX_SCHEMAS = 20_000

/**
 * Converts a schema object of OpenAPI 3.x without the targets of its references. Invalid keywords are
 * dropped, so that the result is valid for any validator. The schema is for requests only: properties of
 * responses are dropped too.
 */
export const convertSchema = (source: unknown, surroundings: Surroundings): Schema =>
  new Conversion(surroundings).convert(source, 0, true)

class Conversion {
  readonly #surroundings: Surroundings
  #schemas = 0

  constructor(surroundings: Surroundings) {
    this.#surroundings = surroundings
  }

  convert(source: unknown, depth: number, isInPlace: boolean): Schema {
    if (typeof source === 'boolean') return source
    if (!isJsonObject(source)) return true
    if (depth > MAX_DEPTH) throw new ConversionError(`has a schema nested deeper than ${MAX_DEPTH} levels`)
    if (++this.#schemas > MAX_SCHEMAS)
      throw new ConversionError(`has a schema of more than ${MAX_SCHEMAS} parts`)
    const { $ref, description, nullable } = source
    const isAlone = typeof $ref === 'string' && this.#surroundings.isOld
    // A description beside a reference describes this use, and is harmless.
    const fields = isAlone
      ? this.#plain(description === undefined ? {} : { description })
      : [...this.#plain(source), ...this.#schemasOf(source, depth, isInPlace)]
    if (typeof $ref === 'string') {
      const name = this.#surroundings.refer($ref, isInPlace)
      if (name === false) return false
      if (name !== true) fields.unshift(['$ref', `#/$defs/${name}`])
    }
    return nullable === true ? orNull(fields) : Object.fromEntries(fields)
  }

  #plain(source: JsonObject): [string, unknown][] {
    const fields: [string, unknown][] = []
    for (const [keyword, takeOver] of plainKeywords) {
      const value = own(source, keyword)
      const taken = value === undefined ? undefined : takeOver(value)
      if (taken !== undefined) fields.push([keyword, taken])
    }
    const example = own(source, 'example')
    if (example !== undefined && own(source, 'examples') === undefined) {
      const taken = plainKeywords.get('examples')?.([example])
      if (taken !== undefined) fields.push(['examples', taken])
    }
    for (const [keyword, limit] of bounds) {
      const value = own(source, limit)
      if (own(source, keyword) !== true || !Number.isFinite(value)) continue
      fields.splice(
        fields.findIndex(([name]) => name === limit),
        1,
        [keyword, value],
      )
    }
    // Binary data is base64 in JSON.
    if (source.format === 'byte' || (source.format === 'binary' && source.type === 'string'))
      fields.push(['contentEncoding', 'base64'])
    const dependent = dependentRequired(own(source, 'dependentRequired'))
    if (dependent) fields.push(['dependentRequired', dependent])
    return fields
  }

  #schemasOf(source: JsonObject, depth: number, isInPlace: boolean): [string, unknown][] {
    const fields: [string, unknown][] = []
    const omitted = readOnlyProperties(source, this.#surroundings)
    for (const [keyword, { shape, isInPlace: staysInPlace }] of schemaKeywords) {
      const value = own(source, keyword)
      const convert = (one: unknown): Schema => this.convert(one, depth + 1, isInPlace && staysInPlace)
      if (shape === 'list') {
        if (Array.isArray(value) && value.length > 0) fields.push([keyword, value.map(convert)])
      } else if (shape === 'map') {
        if (!isJsonObject(value)) continue
        // `__proto__` is unsafe in validators of several languages.
        const entries = Object.entries(value).filter(
          ([name]) => name !== '__proto__' && (keyword !== 'properties' || !omitted.has(name)),
        )
        fields.push([keyword, Object.fromEntries(entries.map(([name, one]) => [name, convert(one)]))])
      } else if (isJsonObject(value) || typeof value === 'boolean') fields.push([keyword, convert(value)])
    }
    const required = names(own(source, 'required')).filter((name) => !omitted.has(name))
    if (required.length > 0) fields.push(['required', required])
    const discriminator = this.#discriminator(own(source, 'discriminator'))
    if (discriminator) fields.push(['discriminator', discriminator])
    return fields
  }

  /** Not a keyword of JSON Schema, but it shows a reader which schema belongs to which value. */
  #discriminator(value: unknown): JsonObject | undefined {
    if (!isJsonObject(value)) return undefined
    const propertyName = shortText(own(value, 'propertyName'))
    if (propertyName === undefined) return undefined
    const mapping = own(value, 'mapping')
    if (!isJsonObject(mapping)) return { propertyName }
    const words = Object.entries(mapping).flatMap(([word, target]): [string, unknown][] => {
      if (typeof target !== 'string') return []
      const isName = /^[\w.-]+$/.test(target) && !target.includes('.json') && !target.includes('.y')
      const name = this.#surroundings.refer(isName ? `#/components/schemas/${target}` : target, false)
      return typeof name === 'string' ? [[word, `#/$defs/${name}`]] : []
    })
    return { propertyName, mapping: Object.fromEntries(words) }
  }
}

/** Keywords that were flags of a limit before, and are limits themselves now. */
const bounds = [
  ['exclusiveMaximum', 'maximum'],
  ['exclusiveMinimum', 'minimum'],
] as const

const orNull = (fields: readonly [string, unknown][]): Schema => {
  const schema: JsonObject = Object.fromEntries(fields)
  const { type } = schema
  if (typeof type === 'string' || Array.isArray(type)) {
    const values = schema.enum as unknown[] | undefined
    return {
      ...schema,
      type: [...new Set([type, 'null'].flat() as unknown[])],
      ...(values && { enum: [...new Set([...values, null])] }),
    }
  }
  const isLimited = fields.some(([keyword]) => keyword === '$ref' || schemaKeywords.get(keyword)?.isInPlace)
  return isLimited ? { anyOf: [schema, { type: 'null' }] } : schema
}

const names = (value: unknown): string[] =>
  Array.isArray(value)
    ? [...new Set(value.filter((name): name is string => typeof name === 'string' && name !== '__proto__'))]
    : []

const dependentRequired = (value: unknown): JsonObject | undefined =>
  isJsonObject(value)
    ? Object.fromEntries(Object.entries(value).map(([name, wanted]) => [name, names(wanted)]))
    : undefined

/** Enough levels of inheritance. */
const MAX_INHERITANCE = 4

/**
 * Names of read-only properties of a schema and of its parts: they must not be sent, and `required` applies
 * to them in responses only.
 */
const readOnlyProperties = (
  schema: JsonObject,
  references: { follow(value: unknown): unknown },
): ReadonlySet<string> => {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const look = (at: unknown, depth: number): void => {
    const one = references.follow(at)
    if (!isJsonObject(one) || depth > MAX_INHERITANCE || seen.has(one)) return
    seen.add(one)
    const properties = own(one, 'properties')
    if (isJsonObject(properties))
      for (const [name, property] of Object.entries(properties)) {
        const target = references.follow(property)
        const isReadOnly =
          (isJsonObject(property) && property.readOnly === true) ||
          (isJsonObject(target) && target.readOnly === true)
        if (isReadOnly) found.add(name)
      }
    const parts = own(one, 'allOf')
    if (Array.isArray(parts)) for (const part of parts) look(part, depth + 1)
  }
  look({ properties: schema.properties, allOf: schema.allOf }, 0)
  return found
}
