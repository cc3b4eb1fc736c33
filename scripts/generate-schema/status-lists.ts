import type { SchemaNode } from '../../src/config/schema/builders.ts'

/** Fields and values that are refused by name. */
export function refused(schema: SchemaNode): string {
  return listed(schema, (field, definition) => {
    const words = field['x-notSupportedYet'] as readonly string[] | undefined
    if ([field, definition].some((one) => one['x-status'] === 'notSupportedYet')) return ''
    return words === undefined ? undefined : `: ${words.map((word) => `\`${word}\``).join(', ')}`
  })
}

/** Fields that are accepted with a warning. */
export function ignored(schema: SchemaNode): string {
  return listed(schema, (field) => (field['x-status'] === 'noEffect' ? '' : undefined))
}

/** Additions to the reference. */
export function additions(schema: SchemaNode): string {
  return listed(schema, (field, { description }) =>
    field['x-ours'] === true ? `: ${field.description ?? description ?? ''}` : undefined,
  )
}

/** The text after the name of a field; undefined omits the field. */
type Choose = (field: SchemaNode, definition: SchemaNode) => string | undefined

function listed(schema: SchemaNode, choose: Choose): string {
  const definitions = schema.$defs as Readonly<Record<string, SchemaNode>>
  const lines = new Set<string>()
  const walk = (owner: string, prefix: string, node: SchemaNode): void => {
    for (const [name, field] of Object.entries(node.properties ?? {})) {
      const target =
        typeof field.$ref === 'string' ? definitions[field.$ref.slice('#/$defs/'.length)] : undefined
      const said = choose(field, target ?? field)
      if (said !== undefined) lines.add(`- ${owner}\`${prefix}${name}\`${said}`)
      else if (field['x-status'] === undefined) walk(owner, `${prefix}${name}.`, field)
    }
    if (typeof node.items === 'object') walk(owner, prefix.replace(/\.$/, '[].'), node.items as SchemaNode)
  }
  walk('', '', schema)
  for (const [name, definition] of Object.entries(definitions)) {
    if (definition['x-status'] === undefined) walk(`[${name}](#${name.toLowerCase()}) `, '', definition)
  }
  return [...lines].join('\n')
}
