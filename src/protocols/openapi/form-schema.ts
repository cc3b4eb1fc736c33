import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import type { Schema } from './convert-schema.ts'
import type { ArgumentGroup } from './input-schema.ts'
import type { FieldPlan, Style } from './open-api-tool.ts'
import { own } from './own-property.ts'
import type { References } from './references.ts'
import type { SchemaPool } from './schema-pool.ts'

const MAX_DEPTH = 8

/** The fields of a form, and the schema of the argument that gives them. */
export const formFieldsOf = (
  media: JsonObject,
  isMultipart: boolean,
  references: References,
  pool: SchemaPool,
): Pick<ArgumentGroup, 'schema' | 'parts'> & { readonly fields: ReadonlyMap<string, FieldPlan> } => {
  const source = own(media, 'schema')
  const encoding = own(media, 'encoding')
  const { properties, required } = propertiesOf(source, references)
  const fields = new Map<string, FieldPlan>()
  let hasFiles = false
  const names = new Set([...properties.keys(), ...(isJsonObject(encoding) ? Object.keys(encoding) : [])])
  for (const name of names) {
    const special = isJsonObject(encoding) ? references.follow(own(encoding, name)) : undefined
    const isFile = isMultipart && isBytes(properties.get(name), references)
    hasFiles ||= isFile
    fields.set(name, fieldPlan(name, isFile, isJsonObject(special) ? special : {}))
  }
  if (!hasFiles) {
    const converted = pool.convert(source)
    return { fields, parts: [converted], schema: objectSchema(converted.schema) }
  }
  const converted = [...properties].map(([name, property]) => [name, pool.convert(property)] as const)
  const schema = {
    type: 'object',
    properties: Object.fromEntries(
      converted.map(([name, one]) => [
        name,
        fields.get(name)?.isFile ? fileArgument(properties.get(name), references) : one.schema,
      ]),
    ),
    ...(required.size > 0 && { required: [...required] }),
  }
  return { fields, parts: converted.map(([, one]) => one), schema }
}

/** A form has named fields, whatever its schema is. */
const objectSchema = (schema: Schema): Schema => (schema === true ? { type: 'object' } : schema)

interface Properties {
  readonly properties: ReadonlyMap<string, unknown>
  readonly required: ReadonlySet<string>
}

/** The properties of a schema and of its parts (`allOf`, `oneOf`, `anyOf`). */
const propertiesOf = (source: unknown, references: References): Properties => {
  const properties = new Map<string, unknown>()
  const required = new Set<string>()
  const seen = new Set<unknown>()
  const look = (at: unknown, depth: number, isCertain: boolean): void => {
    const schema = references.follow(at)
    if (!isJsonObject(schema) || depth > MAX_DEPTH || seen.has(schema)) return
    seen.add(schema)
    const ownProperties = own(schema, 'properties')
    if (isJsonObject(ownProperties))
      for (const [name, one] of Object.entries(ownProperties)) {
        if (isJsonObject(one) && one.readOnly === true) continue
        if (!properties.has(name)) properties.set(name, one)
      }
    const wanted = own(schema, 'required')
    if (isCertain && Array.isArray(wanted))
      for (const name of wanted) if (typeof name === 'string') required.add(name)
    for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
      const parts = own(schema, keyword)
      if (Array.isArray(parts))
        for (const part of parts) look(part, depth + 1, isCertain && keyword === 'allOf')
    }
  }
  look(source, 0, true)
  for (const name of required) if (!properties.has(name)) required.delete(name)
  return { properties, required }
}

/** Whether a property is binary, or a list of binary values. */
const isBytes = (source: unknown, references: References): boolean => {
  const schema = references.follow(source)
  if (!isJsonObject(schema)) return false
  if (schema.type === 'array') return isBytesItself(references.follow(schema.items))
  return isBytesItself(schema)
}

const isBytesItself = (schema: unknown): boolean =>
  isJsonObject(schema) &&
  (schema.format === 'binary' ||
    schema.contentEncoding === 'base64' ||
    (typeof schema.contentMediaType === 'string' && !/^text\/|json\b/i.test(schema.contentMediaType)))

const fileArgument = (source: unknown, references: References): Schema => {
  const schema = references.follow(source)
  const { description, type } = isJsonObject(schema) ? schema : {}
  const text = typeof description === 'string' ? { description: description.slice(0, 1024) } : {}
  return type === 'array' ? { type: 'array', items: file, ...text } : { ...file, ...text }
}

const file: JsonObject = {
  anyOf: [
    { type: 'string', contentEncoding: 'base64', description: 'The bytes of the file in base64.' },
    {
      type: 'object',
      properties: {
        data: { type: 'string', contentEncoding: 'base64', description: 'The bytes of the file in base64.' },
        filename: { type: 'string' },
        contentType: { type: 'string' },
      },
      required: ['data'],
      additionalProperties: false,
    },
  ],
}

const fieldPlan = (name: string, isFile: boolean, special: JsonObject): FieldPlan => {
  const { contentType, style, explode, allowReserved } = special
  const known = (['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const).find(
    (one) => one === style,
  )
  const isStyled = known !== undefined || typeof explode === 'boolean' || typeof allowReserved === 'boolean'
  const chosen: Style = known ?? 'form'
  return {
    isFile,
    contentType: typeof contentType === 'string' ? contentType.split(',', 1)[0]?.trim() : undefined,
    style: isStyled
      ? {
          name,
          argument: name,
          style: chosen,
          explode: typeof explode === 'boolean' ? explode : chosen === 'form',
          isJson: false,
          allowReserved: false,
        }
      : undefined,
  }
}
