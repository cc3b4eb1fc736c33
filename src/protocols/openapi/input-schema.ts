import type { JsonObject } from '../json-rpc/message.ts'
import { Inconvertible, quoted } from './inconvertible.ts'
import type { Converted, Definition } from './schema-pool.ts'

/** One of the sub-objects of the arguments. */
export interface ArgumentGroup {
  readonly name: string
  readonly isRequired: boolean
  readonly schema: unknown
  readonly parts: readonly Converted[]
}

/** A model reads all of it before it makes a call. */
const MAX_BYTES = 262_144
const MAX_DEFINITIONS = 400

/**
 * The schema of a tool's arguments: what is referred to stands in `$defs` once, however often it is used, so that
 * circles are no matter. What does not fit is left open there, nearest things first: the server checks it anyway.
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
    throw new Inconvertible(`has parameters and a body of more than ${MAX_BYTES} bytes`)
  const reached = new Set(groups.flatMap(({ parts }) => parts.flatMap(({ refers }) => [...refers])))
  const kept = new Set<Definition>()
  // A set is iterated over what is added meanwhile too: this goes outwards, ring by ring.
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
      kept.has(definition) ? definition.converted.schema : leftOut,
    ]),
  )
  return { ...root, $defs }
}

const leftOut = { description: 'Any value; its description is too long for this list.' }

/** Takes away what refers in place to nothing that is left, until nothing changes: what stays is in a circle. */
const refuseEndless = (kept: ReadonlySet<Definition>): void => {
  const awaits = new Map<Definition, number>()
  const awaitedBy = new Map<Definition, Definition[]>()
  for (const definition of kept) {
    const targets = [...definition.converted.inPlace].filter((target) => kept.has(target))
    awaits.set(definition, targets.length)
    for (const target of targets) {
      const waiting = awaitedBy.get(target)
      if (waiting) waiting.push(definition)
      else awaitedBy.set(target, [definition])
    }
  }
  const settled = [...kept].filter((definition) => awaits.get(definition) === 0)
  for (const definition of settled)
    for (const waiting of awaitedBy.get(definition) ?? []) {
      const left = (awaits.get(waiting) ?? 0) - 1
      awaits.set(waiting, left)
      if (left === 0) settled.push(waiting)
    }
  const endless = [...kept].find((definition) => awaits.get(definition) !== 0)
  if (endless)
    throw new Inconvertible(`has a schema that is part of itself without end: ${quoted(endless.name)}`)
}
