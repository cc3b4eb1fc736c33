import type { StructuralSchema } from '../../../src/controller/schema/field.ts'

/** A schema, under a name, and values of it. */
export interface CoveredSchema {
  readonly name: string
  readonly schema: StructuralSchema
  readonly values: readonly unknown[]
}

/**
 * The fields that no value has, and the members of enums that none is, by their first path. What several fields of the
 * schemas share is one definition: each of these fields has to be there, and each field of the definition once.
 */
export const uncoveredFields = (schemas: readonly CoveredSchema[]): readonly string[] => {
  const coverage = new Map<string, { readonly path: string; isCovered: boolean }>()
  const cover = (part: string, path: string, isCovered: boolean): void => {
    const known = coverage.get(part)
    if (known === undefined) coverage.set(part, { path, isCovered })
    else known.isCovered ||= isCovered
  }
  const visit = (node: StructuralSchema, at: readonly unknown[], path: string, owner: string): void => {
    for (const member of enumOf(node))
      cover(`${owner}=${String(member)}`, `${path}=${String(member)}`, at.includes(member))
    const definition = definitionOf(node)
    for (const [name, child] of Object.entries(node.properties ?? {})) {
      const inner = at.filter((value) => isObject(value) && name in value)
      const part = `${definition}.${name}`
      const childPath = `${path}.${name}`
      cover(part, childPath, inner.length > 0)
      const held = inner.map((value) => (value as Readonly<Record<string, unknown>>)[name])
      visit(child, held, childPath, part)
    }
    for (const child of [node.items, node.additionalProperties])
      if (isObject(child)) visit(child, at.filter(isObject).flatMap(Object.values), `${path}[]`, `${owner}[]`)
  }
  for (const { name, schema, values } of schemas) visit(schema, values, name, name)
  return [...coverage.values()].flatMap(({ path, isCovered }) => (isCovered ? [] : [path]))
}

/** What a schema says of the shape: descriptions, defaults and rules differ between uses of one type. */
const definitionOf = (node: StructuralSchema): string => {
  const known = definitions.get(node)
  if (known !== undefined) return known
  const shape = JSON.stringify(shapeOf(node))
  definitions.set(node, shape)
  return shape
}

const definitions = new WeakMap<StructuralSchema, string>()

const shapeOf = (node: StructuralSchema): unknown => ({
  type: node.type,
  enum: node.enum,
  properties: Object.entries(node.properties ?? {}).map(([name, child]) => [name, shapeOf(child)]),
  items: isObject(node.items) ? shapeOf(node.items) : undefined,
  values: isObject(node.additionalProperties) ? shapeOf(node.additionalProperties) : undefined,
})

const enumOf = (node: StructuralSchema): readonly unknown[] => (Array.isArray(node.enum) ? node.enum : [])

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
