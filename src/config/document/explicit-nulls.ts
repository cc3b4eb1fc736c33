import type { ConfigDocument } from './document.ts'
import { segments } from './json-pointer.ts'
import type { SchemaNode } from '../schema/builders.ts'

/**
 * Removes fields that are explicitly empty: `tls: null`, `namespace: ''`. Programs write them so.
 *
 * Applies to fields that the schema declares, unless it accepts null or an empty text as a value: free
 * names, such as those of headers, keep theirs. A field without any value, as in `csrf:`, stays: its value
 * was probably forgotten.
 */
export function dropExplicitNulls(document: ConfigDocument, root: SchemaNode): void {
  for (const pointer of document.nulls) {
    const path = segments(pointer)
    const name = path.at(-1) ?? ''
    const owner = path.slice(0, -1).reduce<unknown>((at, segment) => member(at, segment), document.value)
    if (typeof owner !== 'object' || owner === null || Array.isArray(owner)) continue
    const value = (owner as Record<string, unknown>)[name]
    if (value !== null && !(value === '' && NAMESPACES.has(name))) continue
    const declared = declaredAt(root, path)
    if (declared.length > 0 && !declared.some((schema) => takesNull(schema)))
      Reflect.deleteProperty(owner, name)
  }
}

const NAMESPACES = new Set(['namespace', 'gatewayNamespace'])

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined
}

/** The schemas of a field that its parent declares; none for free names. */
function declaredAt(root: SchemaNode, path: readonly string[]): readonly SchemaNode[] {
  let owners: readonly SchemaNode[] = [root]
  let named: readonly SchemaNode[] = []
  for (const name of path) {
    const possible: readonly SchemaNode[] = owners.flatMap((owner) => alternatives(root, owner))
    named = schemas(possible.map(({ properties }) => properties?.[name]))
    const inside = possible.flatMap(({ items, additionalProperties }) =>
      schemas([items, additionalProperties]),
    )
    owners = [...named, ...inside]
  }
  return named
}

/** A schema with all of its alternatives. */
function alternatives(root: SchemaNode, schema: SchemaNode): readonly SchemaNode[] {
  const { $ref, then, else: otherwise } = schema
  const referred = typeof $ref === 'string' ? definition(root, $ref) : undefined
  return [schema, ...schemas([referred, then, otherwise]).flatMap((one) => alternatives(root, one))]
}

function schemas(values: readonly unknown[]): readonly SchemaNode[] {
  return values.filter((value): value is SchemaNode => typeof value === 'object' && value !== null)
}

function definition(root: SchemaNode, reference: string): unknown {
  return segments(reference.slice(1)).reduce<unknown>((at, name) => member(at, name), root)
}

/** Whether the schema accepts null as a value. */
function takesNull({ type, $ref, enum: words, if: condition, ...rest }: SchemaNode): boolean {
  if (type !== undefined) return [type].flat().includes('null')
  if (Array.isArray(words)) return words.includes(null)
  return $ref === undefined && condition === undefined && rest['x-status'] === undefined
}
