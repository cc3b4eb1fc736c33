import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { parse } from 'yaml'
import type { SchemaNode } from '../../src/config/schema/builders.ts'
import { schema } from '../../src/config/schema/root.ts'

/** A configuration of the corpus. */
export interface CorpusFile {
  readonly name: string
  readonly text: string
}

/** The configurations of one folder of the corpus. */
export const corpus = (folder: 'accepted' | 'refused'): readonly CorpusFile[] => {
  const root = join(import.meta.dirname, 'corpus', folder)
  return globSync('*.yaml', { cwd: root })
    .sort()
    .map((file) => ({ name: basename(file, '.yaml'), text: readFileSync(join(root, file), 'utf8') }))
}

/** Fields of the reference that the schema has, as `Definition.field`, and whether they are currently refused. */
export const knownFields = (): ReadonlyMap<string, boolean> => {
  const fields = new Map<string, boolean>()
  const visited = new Set<string>()
  const visit = (part: SchemaNode, owner: string, within: boolean): void => {
    const { $ref } = part
    const name = typeof $ref === 'string' ? $ref.slice('#/$defs/'.length) : ''
    const definition = definitions[name]
    if (definition && !visited.has(name)) {
      visited.add(name)
      visit(definition, name, within)
    }
    for (const [field, inner] of Object.entries(part.properties ?? {})) {
      // Fields inside of an addition are additions, too.
      if (inner['x-ours'] === true) continue
      const isRefused = within || inner['x-status'] === 'notSupportedYet'
      fields.set(`${owner}.${field}`, isRefused)
      visit(inner, `${owner}.${field}`, isRefused)
    }
    for (const inner of innerParts(part)) visit(inner, owner, within)
  }
  visit(schema, 'ConfigFile', false)
  return fields
}

/** The fields that a configuration uses, by the same names. */
export const usedFields = (text: string): ReadonlySet<string> => {
  const used = new Set<string>()
  const visit = (part: SchemaNode, owner: string, value: unknown): void => {
    const { $ref } = part
    if (typeof $ref === 'string') {
      const name = $ref.slice('#/$defs/'.length)
      const definition = definitions[name]
      if (definition) visit(definition, name, value)
    }
    if (Array.isArray(value)) {
      for (const item of value) for (const inner of innerParts(part)) visit(inner, owner, item)
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        const field = part.properties?.[name]
        if (field) {
          used.add(`${owner}.${name}`)
          visit(field, `${owner}.${name}`, item)
        } else if (isSchema(part.additionalProperties)) visit(part.additionalProperties, owner, item)
      }
    }
    for (const inner of [part.then, part.else]) if (isSchema(inner)) visit(inner, owner, value)
  }
  visit(schema, 'ConfigFile', parse(text))
  return used
}

const isSchema = (value: unknown): value is SchemaNode => typeof value === 'object' && value !== null

const innerParts = (part: SchemaNode): readonly SchemaNode[] =>
  [part.items, part.additionalProperties, part.then, part.else].filter(isSchema)

const definitions = schema.$defs as Readonly<Record<string, SchemaNode>>
