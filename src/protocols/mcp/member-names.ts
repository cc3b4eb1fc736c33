import { isJsonObject, type JsonObject } from '../json/json-object.ts'
import { CaseInsensitiveNames } from '../json/case-insensitive-names.ts'
import type { Message } from '../json-rpc/message.ts'
import {
  CLIENT_CAPABILITIES_KEY,
  CLIENT_INFO_KEY,
  LOG_LEVEL_KEY,
  PROTOCOL_VERSION_KEY,
  SERVER_INFO_KEY,
  SUBSCRIPTION_ID_KEY,
} from './meta.ts'

/**
 * Finds a member of a message whose name differs only in letter case from one that the gateway or its rules use: many
 * servers and clients would accept it. Free-form JSON is not checked: arguments, schemas, and results of tools.
 */
export const misspelledMember = (message: Message): string | undefined => {
  if ('method' in message) {
    const { params: given } = message
    if (!given) return undefined
    return (
      params.problemIn(given) ??
      within(given, 'ref', ref) ??
      within(given, 'notifications', subscribedNames) ??
      within(given, '_meta', meta)
    )
  }
  if (!('result' in message)) return undefined
  const { result: given } = message
  const problem = result.problemIn(given) ?? within(given, '_meta', meta)
  if (problem !== undefined) return problem
  for (const key of lists) {
    const items = given[key]
    if (!Array.isArray(items)) continue
    for (const one of items) {
      const wrong = isJsonObject(one) ? problemOfItem(one) : undefined
      if (wrong !== undefined) return wrong
    }
  }
  return undefined
}

const within = (object: JsonObject, key: string, names: CaseInsensitiveNames): string | undefined => {
  const inner = object[key]
  return isJsonObject(inner) ? names.problemIn(inner) : undefined
}

const problemOfItem = (one: JsonObject): string | undefined => {
  const problem = item.problemIn(one)
  const { _meta: about } = one
  if (problem !== undefined || !isJsonObject(about)) return problem
  return itemMeta.problemIn(about) ?? within(about, 'ui', itemMeta)
}

/** Members of requests and notifications of any method: no revision has one of them in two letter cases. */
const params = new CaseInsensitiveNames([
  ...['_meta', 'name', 'uri', 'arguments', 'ref', 'argument', 'taskId', 'task', 'cursor', 'level', 'mode'],
  ...['protocolVersion', 'capabilities', 'clientInfo', 'requestId', 'progressToken', 'notifications'],
  ...['inputResponses', 'requestState', 'tools', 'toolChoice', 'messages'],
])

const ref = new CaseInsensitiveNames(['type', 'name', 'uri'])

const subscribedNames = new CaseInsensitiveNames([
  ...['toolsListChanged', 'promptsListChanged', 'resourcesListChanged', 'resourceSubscriptions'],
])

const meta = new CaseInsensitiveNames([
  ...[PROTOCOL_VERSION_KEY, CLIENT_INFO_KEY, CLIENT_CAPABILITIES_KEY, LOG_LEVEL_KEY, SUBSCRIPTION_ID_KEY],
  ...[SERVER_INFO_KEY, 'progressToken', 'traceparent', 'tracestate', 'baggage'],
])

const lists = ['tools', 'prompts', 'resources', 'resourceTemplates', 'tasks'] as const

const result = new CaseInsensitiveNames([
  ...[...lists, '_meta', 'nextCursor', 'ttlMs', 'cacheScope', 'resultType', 'isError', 'inputRequests'],
  ...['requestState', 'content', 'contents', 'messages', 'structuredContent', 'task', 'taskId'],
  ...['protocolVersion', 'capabilities', 'serverInfo', 'instructions', 'supportedVersions'],
])

/** Members that identify a tool, a prompt, a resource or a task. */
const item = new CaseInsensitiveNames(['name', 'uri', 'uriTemplate', 'taskId', 'inputSchema', '_meta'])

/** The UI resource of a tool, which rules may be about. */
const itemMeta = new CaseInsensitiveNames(['ui', 'ui/resourceUri', 'resourceUri'])
