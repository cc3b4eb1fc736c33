import type { SchemaNode } from '../../src/config/schema/builders.ts'

type Definitions = Readonly<Record<string, SchemaNode>>

/** The fields of an object and of objects within it; or the type of another definition. */
export function fieldTable(schema: SchemaNode, definitions: Definitions): string {
  const rows = fieldsOf(schema, '', definitions)
  if (rows.length === 0) return `Type: ${typeOf(schema, definitions)}`
  return ['| Field | Type | Default | Meaning |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function fieldsOf(schema: SchemaNode, prefix: string, definitions: Definitions): readonly string[] {
  const required = (schema.required ?? []) as readonly string[]
  const own = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const path = `${prefix}${name}`
    const resolved = resolve(field, definitions)
    if (field['x-status'] !== undefined || resolved['x-status'] !== undefined) return []
    const meaning = [
      required.includes(name) ? 'Required.' : '',
      field.deprecated === true ? 'Deprecated.' : '',
      field['x-ours'] === true ? 'Addition.' : '',
      field.description ?? resolved.description ?? '',
    ]
    const row = `| \`${path}\` | ${typeOf(field, definitions)} | ${defaultOf(field)} | ${cell(meaning.filter(Boolean).join(' '))} |`
    return [row, ...fieldsOf(field, `${path}.`, definitions), ...nestedFields(field, path, definitions)]
  })
  return [...own, ...alternatives(schema, prefix, definitions)]
}

function nestedFields(field: SchemaNode, path: string, definitions: Definitions): readonly string[] {
  const items = field.items as SchemaNode | undefined
  if (items !== undefined) return fieldsOf(items, `${path}[].`, definitions)
  const values = field.additionalProperties
  return typeof values === 'object' ? fieldsOf(values as SchemaNode, `${path}.*.`, definitions) : []
}

/** The fields of the object alternative of a value that may be a string or an object. */
function alternatives(schema: SchemaNode, prefix: string, definitions: Definitions): readonly string[] {
  return [schema.then, schema.else]
    .filter((one): one is SchemaNode => typeof one === 'object')
    .flatMap((one) => fieldsOf(one, prefix, definitions))
}

function typeOf(schema: SchemaNode, definitions: Definitions): string {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.slice('#/$defs/'.length)
    return `[${name}](#${name.toLowerCase()})`
  }
  if (schema.if !== undefined) {
    return [schema.then, schema.else].map((one) => typeOf(one as SchemaNode, definitions)).join(' or ')
  }
  if (Array.isArray(schema.enum)) {
    const words: readonly unknown[] = schema.enum
    const later = (schema['x-notSupportedYet'] ?? []) as readonly unknown[]
    return words
      .filter((word) => !later.includes(word))
      .map((word) => `\`${String(word)}\``)
      .join(', ')
  }
  if (schema.type === 'array') return `list of ${typeOf(schema.items as SchemaNode, definitions)}`
  const values = schema.additionalProperties
  if (typeof values === 'object' && values !== null)
    return `map to ${typeOf(values as SchemaNode, definitions)}`
  if (typeof schema.format === 'string') return FORMATS[schema.format] ?? 'string'
  if (schema.type === 'integer' || schema.type === 'number') return bounded(schema)
  return typeof schema.type === 'string' ? schema.type : 'any'
}

const FORMATS: Readonly<Record<string, string>> = {
  cel: 'expression',
  celBool: 'expression (true or false)',
  celFunctions: 'function definitions',
  celRule: 'expression (true or false)',
  celConnectionRule: 'expression (true or false)',
  celText: 'expression (string)',
  duration: 'duration',
  durationOrCel: 'duration or expression',
  regex: 'regular expression (RE2)',
  staticTarget: '`host:port` or `unix:/path`',
  serverAddress: '`ip:port`, `unix:/path` or `off`',
  listenAddress: 'IP address or `unix:/path`',
  cidr: 'address range',
  serviceName: '`namespace/hostname`',
}

function bounded(schema: SchemaNode): string {
  const { type, minimum, maximum } = schema as { type: string; minimum?: number; maximum?: number }
  if (minimum === undefined) return type
  return maximum === undefined
    ? `${type} from ${String(minimum)}`
    : `${type}, ${String(minimum)}–${String(maximum)}`
}

function defaultOf(schema: SchemaNode): string {
  return schema.default === undefined ? '' : `\`${JSON.stringify(schema.default).replace(/^"|"$/g, '')}\``
}

function resolve(schema: SchemaNode, definitions: Definitions): SchemaNode {
  return typeof schema.$ref === 'string'
    ? (definitions[schema.$ref.slice('#/$defs/'.length)] ?? schema)
    : schema
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
