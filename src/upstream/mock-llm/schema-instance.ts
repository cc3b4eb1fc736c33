import { type JsonObject, jsonObjectIn } from '../../protocols/json/json-object.ts'

/**
 * Generates a value for a JSON Schema, always the same: the first of the allowed values, every property, one item of
 * each list. Supports the usual keywords of tools and structured outputs; patterns and conditions are ignored.
 */
export const schemaInstance = (schema: unknown): unknown =>
  instance(schema, { root: schema, depth: 0, name: 'text', budget: { left: MAX_VALUES } })

interface SchemaContext {
  /** The root for references. */
  readonly root: unknown
  readonly depth: number
  /** The name of the value, for texts. */
  readonly name: string
  /** Number of further values that may be generated. */
  readonly budget: { left: number }
}

/** Deeper schemas are recursive. */
const MAX_DEPTH = 12
/** Schemas with several recursive references grow faster in size than in depth. */
const MAX_VALUES = 2000

const instance = (written: unknown, context: SchemaContext): unknown => {
  const schema = jsonObjectIn(written)
  if (!schema || context.depth > MAX_DEPTH || context.budget.left-- <= 0) return null
  const below = { ...context, depth: context.depth + 1 }
  for (const name of ['const', 'default'] as const) if (schema[name] !== undefined) return schema[name]
  for (const name of ['enum', 'examples'] as const)
    if (Array.isArray(schema[name]) && schema[name].length > 0) return (schema[name] as unknown[])[0]
  if (typeof schema.$ref === 'string') return instance(referred(schema.$ref, context.root), below)
  for (const name of ['anyOf', 'oneOf'] as const)
    if (Array.isArray(schema[name])) return instance(simplest(schema[name], context.depth), below)
  if (Array.isArray(schema.allOf)) return merged(schema, schema.allOf, below)
  return ofType(schema, below)
}

const ofType = (schema: JsonObject, context: SchemaContext): unknown => {
  switch (typeOf(schema)) {
    case 'object':
      return object(schema, context)
    case 'array': {
      const minItems = typeof schema.minItems === 'number' ? schema.minItems : 1
      const most = typeof schema.maxItems === 'number' ? schema.maxItems : minItems
      const count = Math.min(minItems, most, 100)
      return Array.from({ length: count }, () => instance(schema.items ?? {}, context))
    }
    case 'string':
      return text(schema, context.name)
    case 'integer':
      return Math.ceil(number(schema))
    case 'number':
      return number(schema)
    case 'boolean':
      return true
    default:
      return null
  }
}

/** Some schemas have types in capitals, as Gemini's do, and some have lists of types. */
const typeOf = (schema: JsonObject): string => {
  const types = Array.isArray(schema.type) ? (schema.type as unknown[]) : [schema.type]
  const type = types.find((one) => typeof one === 'string' && one.toLowerCase() !== 'null')
  if (typeof type === 'string') return type.toLowerCase()
  if (schema.properties !== undefined) return 'object'
  if (schema.items !== undefined) return 'array'
  return types[0] === 'null' ? 'null' : 'string'
}

const object = (schema: JsonObject, context: SchemaContext): JsonObject => {
  const made: [string, unknown][] = []
  for (const [name, property] of Object.entries(jsonObjectIn(schema.properties) ?? {})) {
    const isNeeded = Array.isArray(schema.required) && schema.required.includes(name)
    // Recursion ends at optional properties.
    if (isNeeded || (context.depth <= MAX_DEPTH / 2 && context.budget.left > 0))
      made.push([name, instance(property, { ...context, name })])
  }
  return Object.fromEntries(made)
}

const merged = (schema: JsonObject, all: readonly unknown[], context: SchemaContext): unknown => {
  const values = [...all.map((one) => instance(one, context)), ofType(schema, context)]
  const objects = values.map(jsonObjectIn).filter((one) => one !== undefined)
  return objects.length > 0 ? Object.assign({}, ...objects) : values[0]
}

/** The first alternative; deep down, one that does not recurse. */
const simplest = (alternatives: readonly unknown[], depth: number): unknown =>
  depth <= MAX_DEPTH / 2
    ? alternatives[0]
    : (alternatives.find((one) => jsonObjectIn(one)?.type === 'null') ?? alternatives[0])

const referred = (pointer: string, root: unknown): unknown => {
  if (!pointer.startsWith('#')) return undefined
  let value = root
  for (const step of pointer.slice(1).split('/').slice(1)) {
    const holder = jsonObjectIn(value)
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    value = holder && Object.hasOwn(holder, name) ? holder[name] : undefined
  }
  return value
}

const number = ({ minimum, maximum, exclusiveMinimum }: JsonObject): number => {
  if (typeof exclusiveMinimum === 'number') return exclusiveMinimum + 1
  if (typeof minimum === 'number') return minimum
  return typeof maximum === 'number' ? Math.min(1, maximum) : 1
}

const text = (schema: JsonObject, name: string): string => {
  const known = typeof schema.format === 'string' ? formats.get(schema.format) : undefined
  if (known !== undefined) return known
  const shortest = typeof schema.minLength === 'number' ? Math.min(schema.minLength, 1000) : 0
  const longest = typeof schema.maxLength === 'number' ? schema.maxLength : 1000
  return `mock ${name}`.padEnd(shortest, '.').slice(0, longest)
}

const formats: ReadonlyMap<string, string> = new Map([
  ['date-time', '2026-01-01T00:00:00Z'],
  ['date', '2026-01-01'],
  ['time', '00:00:00Z'],
  ['duration', 'PT1S'],
  ['email', 'mock@example.com'],
  ['uri', 'https://example.com/'],
  ['uuid', '00000000-0000-4000-8000-000000000000'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['hostname', 'example.com'],
])
