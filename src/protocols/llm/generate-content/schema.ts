import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'

/**
 * Converts a schema of the Gemini API (`Schema`, a part of OpenAPI 3.0) to JSON Schema: types in lower case, `nullable`
 * as a type, and counts, which are 64-bit and may be strings, as numbers.
 */
export const jsonSchemaOf = (schema: JsonObject): JsonObject => {
  const converted: JsonObject = {}
  for (const [key, value] of Object.entries(schema)) {
    const name = key.includes('_') ? (snakeNames.get(key) ?? key) : key
    if (value === null || dropped.has(name)) continue
    if (name === 'type') {
      if (typeof value === 'string' && value !== 'TYPE_UNSPECIFIED') converted.type = value.toLowerCase()
    } else if (name === 'properties') converted.properties = propertiesOf(value)
    else if (name === 'items') converted.items = convert(value)
    else if (name === 'anyOf') converted.anyOf = Array.isArray(value) ? value.map(convert) : value
    else if (name === 'example') converted.examples = [value]
    else if (counts.has(name)) converted[name] = Number(value)
    else if (name !== 'format' || value !== 'enum') converted[name] = value
  }
  return isNullable(schema) ? withNull(converted) : converted
}

const isNullable = ({ nullable }: JsonObject): boolean => nullable === true

const withNull = (schema: JsonObject): JsonObject => {
  if (typeof schema.type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  const widened: JsonObject = { ...schema, type: [schema.type, 'null'] }
  if (Array.isArray(schema.enum)) widened.enum = [...(schema.enum as unknown[]), null]
  return widened
}

const convert = (value: unknown): unknown => {
  const schema = jsonObjectIn(value)
  return schema ? jsonSchemaOf(schema) : value
}

const propertiesOf = (value: unknown): unknown => {
  const properties = jsonObjectIn(value)
  return properties
    ? Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, convert(schema)]))
    : value
}

const dropped = new Set(['nullable', 'propertyOrdering'])
const counts = new Set(['minItems', 'maxItems', 'minProperties', 'maxProperties', 'minLength', 'maxLength'])
const snakeNames = new Map([
  ['any_of', 'anyOf'],
  ['property_ordering', 'propertyOrdering'],
  ['min_items', 'minItems'],
  ['max_items', 'maxItems'],
  ['min_properties', 'minProperties'],
  ['max_properties', 'maxProperties'],
  ['min_length', 'minLength'],
  ['max_length', 'maxLength'],
])
