import { isJsonObject } from '../json/json-object.ts'
import type { Schema } from './convert-schema.ts'
import { plainKeywords, schemaKeywords } from './schema-keywords.ts'

/** Stands for `$ref` where schemas are checked. */
export const REFERENCE = 'agentgateway-reference'

/**
 * Copies a schema as it is to be checked. It is more lenient than what clients read, because the server checks again:
 *
 * - `oneOf` means any of them. Where formats are not looked at two branches are often the same, and documents mean it.
 * - `uniqueItems` compares everything with everything, which is a caller's way to keep the gateway busy.
 * - `unevaluatedProperties` and `unevaluatedItems` would have to know what references have seen.
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
