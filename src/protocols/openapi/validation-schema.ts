import { isJsonObject } from '../json/json-object.ts'
import type { Schema } from './convert-schema.ts'
import { plainKeywords, schemaKeywords } from './schema-keywords.ts'

/** Replaces `$ref` in schemas for validation. */
export const REFERENCE = 'agentgateway-reference'

/**
 * Copies a schema for validation. It is more lenient than the schema for clients, because the server
 * validates again:
 *
 * - `oneOf` becomes any of them. Without formats two branches are often equal, and documents intend it.
 * - `uniqueItems` is dropped: it compares all pairs, and a caller could use it to keep the gateway busy.
 * - `unevaluatedProperties` and `unevaluatedItems` are dropped: they would need the results of references.
 */
export const checkable = (schema: Schema): Schema => {
  if (typeof schema === 'boolean') return schema
  const fields: [string, unknown][] = []
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === '$ref') fields.push([REFERENCE, value])
    if (keyword === 'required' || keyword === 'dependentRequired') fields.push([keyword, value])
    if (plainKeywords.has(keyword) && !unchecked.has(keyword)) fields.push([keyword, value])
    const shape = unchecked.has(keyword) ? undefined : schemaKeywords.get(keyword)?.shape
    if (shape === 'one') fields.push([keyword, checkable(value as Schema)])
    else if (shape === 'map' && isJsonObject(value))
      fields.push([
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, one]) => [name, checkable(one as Schema)])),
      ])
    else if (shape === 'list') fields.push([keyword, (value as Schema[]).map(checkable)])
  }
  if (!schema.oneOf) return Object.fromEntries(fields)
  const { oneOf, anyOf, ...rest } = Object.fromEntries(fields)
  return anyOf === undefined
    ? { ...rest, anyOf: oneOf }
    : { ...rest, allOf: [{ ...rest, anyOf }, { anyOf: oneOf }] }
}

const unchecked = new Set([
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
  'writeOnly',
  'format',
  'contentEncoding',
  'contentMediaType',
  'uniqueItems',
  'unevaluatedProperties',
  'unevaluatedItems',
])
