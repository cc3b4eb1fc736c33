import type { JsonObject } from '../json-rpc/message.ts'
import { ConversionError, quoted } from './conversion-error.ts'
import type { Converted, SchemaDefinition } from './schema-pool.ts'

/** One of the groups of arguments. */
export interface ArgumentGroup {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
  readonly parts: readonly Converted[]
}

/** A model reads the whole schema before it makes a call. */
const MAX_BYTES = 262_144
const MAX_DEFINITIONS = 400

/**
 * The schema of a tool's arguments: the target of a reference is in `$defs` once, however often it is used,
 * so that circles are possible. The nearest definitions are kept; those
 * beyond the limit are left open, since the server validates the arguments anyway.
 */
export const inputSchemaOf = (groups: readonly ArgumentGroup[]): JsonObject => {
  const root: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(groups.map(({ name, schema }) => [name, schema])),
    required: groups.filter(({ isRequired }) => isRequired).map(({ name }) => name),
    additionalProperties: false,
  }
  let sizeBytes = JSON.stringify(root).length
  if (sizeBytes > MAX_BYTES)
    throw new ConversionError(`has parameters and a body of more than ${MAX_BYTES} bytes`)
  const reached = new Set(groups.flatMap(({ parts }) => parts.flatMap(({ refers }) => [...refers])))
  const kept = new Set<SchemaDefinition>()
  // A set iterates over values added meanwhile, too: this is a breadth-first search.
  for (const definition of reached) {
    if (kept.size === MAX_DEFINITIONS || sizeBytes + definition.sizeBytes > MAX_BYTES) continue
    sizeBytes += definition.sizeBytes
    kept.add(definition)
    for (const next of definition.converted.refers) reached.add(next)
  }
  refuseEndless(kept)
  if (reached.size === 0) return root
  const $defs = Object.fromEntries(
    [...reached].map((definition) => [
      definition.name,
      kept.has(definition) ? definition.converted.schema : anyValue,
    ]),
  )
  return { ...root, $defs }
}

const anyValue = { description: 'Any value; its description is too long for this list.' }

/**
 * Removes definitions that refer in place to nothing that is left, until nothing changes: the rest is in a
 * circle.
 */
const refuseEndless = (kept: ReadonlySet<SchemaDefinition>): void => {
  const awaits = new Map<SchemaDefinition, number>()
  const awaitedBy = new Map<SchemaDefinition, SchemaDefinition[]>()
  for (const definition of kept) {
    const targets = [...definition.converted.inPlace].filter((target) => kept.has(target))
    awaits.set(definition, targets.length)
    for (const target of targets) {
      const waiting = awaitedBy.get(target)
      if (waiting) waiting.push(definition)
      else awaitedBy.set(target, [definition])
    }
  }
  const resolved = [...kept].filter((definition) => awaits.get(definition) === 0)
  for (const definition of resolved)
    for (const waiting of awaitedBy.get(definition) ?? []) {
      const left = (awaits.get(waiting) ?? 0) - 1
      awaits.set(waiting, left)
      if (left === 0) resolved.push(waiting)
    }
  const endless = [...kept].find((definition) => awaits.get(definition) !== 0)
  if (endless)
    throw new ConversionError(`has a schema that is part of itself without end: ${quoted(endless.name)}`)
}
