import type { JsonObject } from '../json-rpc/message.ts'

/** Requests that only revisions with sessions have. */
export const removedInModern: ReadonlySet<string> = new Set([
  'initialize',
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/list',
  'tasks/result',
])

/** Requests of revisions without sessions, with those of the extension for tasks. */
export const modernMethods: ReadonlySet<string> = new Set([
  'server/discover',
  'subscriptions/listen',
  'tools/list',
  'tools/call',
  'prompts/list',
  'prompts/get',
  'resources/list',
  'resources/templates/list',
  'resources/read',
  'completion/complete',
  'tasks/get',
  'tasks/update',
  'tasks/cancel',
])

/** What a request is about, under the name that the client has for it. */
export interface Subject {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'task'
  /** The URI of a resource, the id of a task. */
  readonly name: string
}

/** What a request names: undefined if its method names nothing, `missing` if it should and does not. */
export const subjectOf = (
  method: string,
  params: JsonObject | undefined,
): Subject | 'missing' | undefined => {
  switch (method) {
    case 'tools/call':
      return named('tool', params?.name)
    case 'prompts/get':
      return named('prompt', params?.name)
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return named('resource', params?.uri)
    case 'tasks/get':
    case 'tasks/result':
    case 'tasks/update':
    case 'tasks/cancel':
      return named('task', params?.taskId)
    case 'completion/complete':
      return completed(params?.ref)
    default:
      return undefined
  }
}

/** Where a request whose subject is missing should name it, for those who wrote it. */
export const subjectPlace = (method: string): string => {
  if (method.startsWith('tasks/')) return 'params.taskId'
  if (method.startsWith('resources/')) return 'params.uri'
  return method === 'completion/complete' ? 'params.ref.name or params.ref.uri' : 'params.name'
}

/** How a list is made up. */
export interface ListShape {
  /** The member of the result that holds it. */
  readonly key: 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'tasks'
  /** What its items are to a rule. */
  readonly kind: Subject['kind']
  /** The member of an item that names it. */
  readonly name: 'name' | 'uri' | 'uriTemplate' | 'taskId'
}

/** @returns Undefined for a method that lists nothing. */
export const listOf = (method: string): ListShape | undefined => lists.get(method)

const lists: ReadonlyMap<string, ListShape> = new Map([
  ['tools/list', { key: 'tools', kind: 'tool', name: 'name' }],
  ['prompts/list', { key: 'prompts', kind: 'prompt', name: 'name' }],
  ['resources/list', { key: 'resources', kind: 'resource', name: 'uri' }],
  ['resources/templates/list', { key: 'resourceTemplates', kind: 'resource', name: 'uriTemplate' }],
  ['tasks/list', { key: 'tasks', kind: 'task', name: 'taskId' }],
])

const completed = (ref: unknown): Subject | 'missing' => {
  if (typeof ref !== 'object' || ref === null) return 'missing'
  const { type, name, uri } = ref as JsonObject
  if (type === 'ref/prompt') return named('prompt', name)
  return type === 'ref/resource' ? named('resource', uri) : 'missing'
}

const named = (kind: Subject['kind'], name: unknown): Subject | 'missing' =>
  typeof name === 'string' ? { kind, name } : 'missing'
