import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { decodeHeaderValue, encodeHeaderValue } from './header-value.ts'
import type { HeaderFields } from './standard-headers.ts'

/** An argument of a tool that is mirrored in a header. */
export interface ParamHeader {
  /** The header in lower case. */
  readonly field: string
  /** The spelling of the tool, for messages. */
  readonly spelling: string
  /** Path from the arguments to the value. */
  readonly path: readonly string[]
  readonly type: 'string' | 'integer' | 'boolean'
}

/** The mirrored arguments of a tool, or why its definition is invalid: such a tool must not be used. */
export type ParamHeaders = { readonly headers: readonly ParamHeader[] } | { readonly invalid: string }

/**
 * Finds `x-mcp-header` in a tool's schema. It is allowed only where the value is found without evaluating the schema:
 * on properties of properties. The whole schema is searched, since it is forbidden everywhere else.
 */
export const paramHeaders = (inputSchema: unknown): ParamHeaders => {
  const headers: ParamHeader[] = []
  const problem = search(inputSchema, [], true, headers)
  if (problem !== undefined) return { invalid: problem }
  return headers.length === 0 ? none : { headers }
}

/** The headers that mirror the arguments of a call: name, value, name, value …. Null or absent arguments have none. */
export const mirrorParams = (headers: readonly ParamHeader[], args: JsonObject | undefined): string[] => {
  const fields: string[] = []
  for (const { field, path } of headers) {
    const text = textOf(valueAt(path, args))
    if (text !== undefined) fields.push(field, encodeHeaderValue(text))
  }
  return fields
}

/** Compares the headers of a call with its arguments: undefined if they agree, else a description of the mismatch. */
export const mismatchedParam = (
  headers: readonly ParamHeader[],
  args: JsonObject | undefined,
  fields: HeaderFields,
): string | undefined => {
  for (const header of headers) {
    const problem = mismatch(valueAt(header.path, args), fields.get(header.field))
    if (problem !== undefined) return `Mcp-Param-${header.spelling} header/body mismatch: ${problem}`
  }
  return undefined
}

const none: ParamHeaders = { headers: [] }
const KEY = 'x-mcp-header'
/** RFC 9110 section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
/** Keywords with one schema, a list of them, or a map; `properties` apart. */
const single = [
  'additionalProperties',
  'additionalItems',
  'contains',
  'contentSchema',
  'else',
  'if',
  'items',
  'not',
  'propertyNames',
  'then',
  'unevaluatedItems',
  'unevaluatedProperties',
]
const lists = ['allOf', 'anyOf', 'items', 'oneOf', 'prefixItems']
const maps = ['$defs', 'definitions', 'dependencies', 'dependentSchemas', 'patternProperties']

const search = (
  schema: unknown,
  path: readonly string[],
  reachable: boolean,
  headers: ParamHeader[],
): string | undefined => {
  if (!isJsonObject(schema)) return undefined
  if (Object.hasOwn(schema, KEY)) {
    const problem = annotate(schema, path, reachable, headers)
    if (problem !== undefined)
      return `${KEY} at ${path.length === 0 ? 'the root' : path.join('.')} ${problem}`
  }
  for (const [name, property] of entriesOf(schema.properties)) {
    const problem = search(property, [...path, name], reachable, headers)
    if (problem !== undefined) return problem
  }
  for (const [keyword, below] of otherSubschemas(schema)) {
    const problem = search(below, [...path, keyword], false, headers)
    if (problem !== undefined) return problem
  }
  return undefined
}

function* otherSubschemas(schema: JsonObject): Generator<[string, unknown]> {
  for (const keyword of single) if (isJsonObject(schema[keyword])) yield [keyword, schema[keyword]]
  for (const keyword of lists) {
    const list = schema[keyword]
    if (Array.isArray(list)) for (const below of list as unknown[]) yield [keyword, below]
  }
  for (const keyword of maps) for (const [, below] of entriesOf(schema[keyword])) yield [keyword, below]
}

const annotate = (
  schema: JsonObject,
  path: readonly string[],
  reachable: boolean,
  headers: ParamHeader[],
): string | undefined => {
  const { [KEY]: spelling, type } = schema
  if (!reachable || path.length === 0) return 'is not on a property that is reached through properties alone'
  if (typeof spelling !== 'string' || !token.test(spelling)) return 'is not the name of a header'
  if (type !== 'string' && type !== 'integer' && type !== 'boolean')
    return 'is on something else than a string, an integer or a boolean'
  const field = `mcp-param-${spelling.toLowerCase()}`
  if (headers.some((known) => known.field === field)) return `is a name that another has: ${spelling}`
  headers.push({ field, spelling, path, type })
  return undefined
}

const valueAt = (path: readonly string[], args: JsonObject | undefined): unknown => {
  let value: unknown = args
  for (const name of path) {
    // Own members only: a path may lead through `constructor`.
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/** Undefined for values without a header form: nothing, unsafe integers, objects. */
const textOf = (value: unknown): string | undefined => {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return String(value)
  if (typeof value !== 'number' || !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : String(value)
}

const mismatch = (value: unknown, field: string | undefined): string | undefined => {
  const text = textOf(value)
  if (field === undefined) return text === undefined ? undefined : 'the header is missing'
  if (text === undefined) return 'the header mirrors nothing'
  const decoded = decodeHeaderValue(field)
  if (decoded === undefined) return 'the header has invalid characters'
  if (decoded === text) return undefined
  // 42.0 is 42.
  if (typeof value === 'number' && decimal.test(decoded) && Number(decoded) === value) return undefined
  return 'the header says something else than the body'
}

const decimal = /^-?\d+(?:\.\d+)?$/

const entriesOf = (value: unknown): [string, unknown][] => (isJsonObject(value) ? Object.entries(value) : [])
