import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { mergeCacheHints } from './cache-hints.ts'
import { SERVER_INFO_KEY } from './meta.ts'
import type { Revision } from './revisions.ts'

/** The result of one server. */
export interface MergeInput {
  readonly target: string
  readonly result: JsonObject
}

/** The gateway's description of itself. */
export interface MergeOptions {
  /** Version of the gateway. */
  readonly version: string
  /** Whether subscriptions to resources are supported. */
  readonly stateful: boolean
}

/**
 * Merges `initialize` results of several servers: the gateway has the capabilities of any of them.
 *
 * @param protocolVersion The agreed revision: see `agreedOn`.
 */
export const mergeInitialize = (
  results: readonly MergeInput[],
  protocolVersion: Revision,
  options: MergeOptions,
): JsonObject => ({
  protocolVersion,
  capabilities: mergeCapabilities(results, options.stateful),
  serverInfo: { name: 'agentgateway', version: options.version },
  instructions: mergeInstructions(results),
})

/** Merges `server/discover` results: the revisions that all servers have, in the order of the first. */
export const mergeDiscover = (results: readonly MergeInput[], options: MergeOptions): JsonObject => ({
  resultType: 'complete',
  supportedVersions: commonVersions(results),
  capabilities: mergeCapabilities(results, options.stateful),
  instructions: mergeInstructions(results),
  ...mergeCacheHints(results.map(({ result }) => result)),
  _meta: { [SERVER_INFO_KEY]: { name: 'agentgateway', version: options.version } },
})

/** A name that several servers use. */
export interface Collision {
  readonly name: string
  /** In the order of the lists. */
  readonly targets: readonly string[]
}

/** Names in more than one list. Duplicates within one server do not count. */
export const collisions = (
  lists: readonly { readonly target: string; readonly names: readonly string[] }[],
): readonly Collision[] => {
  const lookup = new Map<string, Set<string>>()
  for (const { target, names } of lists)
    for (const name of names) {
      const known = lookup.get(name)
      if (known) known.add(target)
      else lookup.set(name, new Set([target]))
    }
  return [...lookup].flatMap(([name, targets]) => (targets.size > 1 ? [{ name, targets: [...targets] }] : []))
}

/** Text before the servers' own instructions. */
const INTRODUCTION =
  'This server is a gateway to a set of mcp servers. It is responsible for routing requests to the correct server and aggregating the results.'

const mergeInstructions = (results: readonly MergeInput[]): string => {
  let text = INTRODUCTION
  for (const { target, result } of results)
    if (typeof result.instructions === 'string' && result.instructions !== '')
      text += `\n\n[${target}]\n${result.instructions}`
  return text
}

const mergeCapabilities = (results: readonly MergeInput[], stateful: boolean): JsonObject => {
  const all = results.flatMap(({ result }) => objectsIn(result.capabilities))
  const merged: JsonObject = {}
  // Lists change when a server is added or removed, even if the servers' own never do.
  if (all.some(({ tools }) => isJsonObject(tools))) merged.tools = { listChanged: true }
  if (all.some(({ prompts }) => isJsonObject(prompts))) merged.prompts = { listChanged: true }
  if (all.some(({ resources }) => isJsonObject(resources))) {
    const subscribes = all.some(({ resources }) => isJsonObject(resources) && resources.subscribe === true)
    merged.resources = stateful && subscribes ? { subscribe: true, listChanged: true } : { listChanged: true }
  }
  for (const name of ['logging', 'completions'])
    if (all.some((capabilities) => isJsonObject(capabilities[name]))) merged[name] = {}
  for (const name of ['tasks', 'experimental', 'extensions']) {
    const united = union(all.flatMap((capabilities) => objectsIn(capabilities[name])))
    if (united) merged[name] = united
  }
  return merged
}

/** Objects are merged; of other values the first is used. */
const union = (objects: readonly JsonObject[]): JsonObject | undefined => {
  if (objects.length === 0) return undefined
  const united = new Map<string, unknown>()
  for (const object of objects)
    for (const [key, value] of Object.entries(object)) {
      const known = united.get(key)
      if (!united.has(key)) united.set(key, value)
      else if (isJsonObject(known) && isJsonObject(value)) united.set(key, union([known, value]))
    }
  return Object.fromEntries(united)
}

const commonVersions = (results: readonly MergeInput[]): readonly string[] => {
  const [first = [], ...others] = results.map(({ result: { supportedVersions: versions } }) =>
    Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : [],
  )
  return first.filter((version) => others.every((versions) => versions.includes(version)))
}

const objectsIn = (value: unknown): JsonObject[] => (isJsonObject(value) ? [value] : [])
