import type { SchemaNode } from '../../src/config/schema/builders.ts'

/**
 * The schema with custom keywords repeated as standard ones, so that editors check them too, and with the status of a
 * field in its description, for display in editors.
 */
export function forEditors(schema: SchemaNode): SchemaNode {
  return rewrite(schema) as SchemaNode
}

function rewrite(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(rewrite)
  if (typeof node !== 'object' || node === null) return node
  const source = node as SchemaNode
  const result: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(source)) {
    if (keyword === 'format') result[keyword] = value
    else if (keyword === 'default' || keyword === 'enum') result[keyword] = value
    else if (keyword === 'description') result[keyword] = described(source)
    else result[keyword] = rewrite(value)
  }
  const choice = source['x-exactlyOne'] as readonly string[] | undefined
  if (choice !== undefined) result.oneOf = choice.map((name) => ({ required: [name] }))
  const groups = source['x-atMostOneOf'] as readonly (readonly string[])[] | undefined
  if (groups !== undefined) result.allOf = groups.map((names) => ({ not: { required: names } }))
  if (source['x-status'] === 'notSupportedYet') result.deprecated = true
  return result
}

function described(schema: SchemaNode): string {
  const description = schema.description ?? ''
  if (schema['x-status'] === 'notSupportedYet') return `Not supported yet. ${description}`
  if (schema['x-status'] === 'noEffect') return `Has no effect in this gateway. ${description}`
  return description
}
