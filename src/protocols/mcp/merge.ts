import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { mergeCacheHints } from './cache-hints.ts'
import { SERVER_INFO_KEY } from './meta.ts'
import { isRevision, lowest, newestLegacy } from './revisions.ts'

/** What a server answered. */
export interface TargetResult {
  readonly target: string
  readonly result: JsonObject
}

/** What the gateway says of itself. */
export interface MergeOptions {
  /** Of the gateway. */
  readonly version: string
  /** Whether subscriptions to resources can be kept. */
  readonly stateful: boolean
}

/** One answer to `initialize` for those of several servers: what one of them can do, the gateway can. */
export const mergeInitialize = (results: readonly TargetResult[], options: MergeOptions): JsonObject => {
  const versions = results.flatMap(({ result: { protocolVersion } }) =>
    typeof protocolVersion === 'string' && isRevision(protocolVersion) ? [protocolVersion] : [],
  )
  return {
    protocolVersion: lowest(versions) ?? newestLegacy,
    capabilities: mergeCapabilities(results, options.stateful),
    serverInfo: { name: 'agentgateway', version: options.version },
    instructions: mergeInstructions(results),
  }
}

/** One answer to `server/discover`: the revisions that all servers have, in the order of the first. */
export const mergeDiscover = (results: readonly TargetResult[], options: MergeOptions): JsonObject => ({
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

/** Names that more than one list has. A server that uses a name twice collides with nobody. */
export const collisions = (
  lists: readonly { readonly target: string; readonly names: readonly string[] }[],
): readonly Collision[] => {
  const owners = new Map<string, Set<string>>()
  for (const { target, names } of lists)
    for (const name of names) {
      const known = owners.get(name)
      if (known) known.add(target)
      else owners.set(name, new Set([target]))
    }
  return [...owners].flatMap(([name, targets]) => (targets.size > 1 ? [{ name, targets: [...targets] }] : []))
}

/** What clients are told before what the servers say themselves. */
const INTRODUCTION =
  'This server is a gateway to a set of mcp servers. It is responsible for routing requests to the correct server and aggregating the results.'

const mergeInstructions = (results: readonly TargetResult[]): string => {
  let text = INTRODUCTION
  for (const { target, result } of results)
    if (typeof result.instructions === 'string' && result.instructions !== '')
      text += `\n\n[${target}]\n${result.instructions}`
  return text
}

const mergeCapabilities = (results: readonly TargetResult[], stateful: boolean): JsonObject => {
  const all = results.flatMap(({ result }) => objectsIn(result.capabilities))
  const merged: JsonObject = {}
  // Lists change when a server comes or goes, even if those of the servers themselves never do.
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

/** What several say of one thing is united if these are objects; else the first one's word counts. */
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

const commonVersions = (results: readonly TargetResult[]): readonly string[] => {
  const [first = [], ...others] = results.map(({ result: { supportedVersions: versions } }) =>
    Array.isArray(versions) ? versions.filter((version) => typeof version === 'string') : [],
  )
  return first.filter((version) => others.every((versions) => versions.includes(version)))
}

const objectsIn = (value: unknown): JsonObject[] => (isJsonObject(value) ? [value] : [])
