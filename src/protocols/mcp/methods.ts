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

/** The subject of a request, under the client's name. */
export interface Subject {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'task'
  /** The URI of a resource, the id of a task. */
  readonly name: string
}

/** The subject of a request: undefined if its method has none, `missing` if it is required and absent. */
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

/** The member that must name the subject, for error messages. */
export const subjectMember = (method: string): string => {
  if (method.startsWith('tasks/')) return 'params.taskId'
  if (method.startsWith('resources/')) return 'params.uri'
  return method === 'completion/complete' ? 'params.ref.name or params.ref.uri' : 'params.name'
}

/** The structure of a list result. */
export interface ListShape {
  /** The member of the result that contains the list. */
  readonly key: 'tools' | 'prompts' | 'resources' | 'resourceTemplates' | 'tasks'
  /** The kind of its items for rules. */
  readonly kind: Subject['kind']
  /** The member of an item with its name. */
  readonly name: 'name' | 'uri' | 'uriTemplate' | 'taskId'
}

/** @returns Undefined for a method that lists nothing. */
export const listMethodOf = (method: string): ListShape | undefined => lists.get(method)

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
