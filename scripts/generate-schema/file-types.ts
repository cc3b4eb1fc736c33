import { compile, type JSONSchema } from 'json-schema-to-typescript'
import type { SchemaNode } from '../../src/config/schema/builders.ts'

/** TypeScript types of a validated configuration: without refused and ignored fields. */
export async function fileTypes(schema: SchemaNode): Promise<string> {
  const source = await compile(rewrite(schema) as JSONSchema, 'ConfigFile', {
    bannerComment:
      '/* Generated from src/config/schema by scripts/generate-schema.ts. Do not edit. */\n/* eslint-disable */',
    additionalProperties: false,
    unreachableDefinitions: false,
    strictIndexSignatures: false,
    style: { printWidth: 110, singleQuote: true, semi: false, trailingComma: 'all' },
  })
  return source
}

const DROPPED = new Set([
  'default',
  'format',
  'propertyNames',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'deprecated',
])

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite)
  if (typeof node !== 'object' || node === null) return node
  const source = node as SchemaNode
  // The generator would copy the target of a reference with a description.
  if (source.$ref !== undefined) return { $ref: source.$ref }
  if (source.if !== undefined)
    return { description: source.description, anyOf: [source.then, source.else].map(rewrite) }
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(source)) {
    if (keyword.startsWith('x-') || DROPPED.has(keyword)) continue
    if (keyword === 'properties') result[keyword] = supported(value as Record<string, SchemaNode>)
    else if (keyword === '$defs') result[keyword] = mapValues(value as Record<string, SchemaNode>)
    else result[keyword] = keyword === 'enum' ? value : rewrite(value)
  }
  return result
}

function supported(properties: Readonly<Record<string, SchemaNode>>): Record<string, unknown> {
  const kept = Object.entries(properties).filter(([, schema]) => schema['x-status'] === undefined)
  return mapValues(Object.fromEntries(kept))
}

function mapValues(properties: Readonly<Record<string, SchemaNode>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, rewrite(schema)]))
}
