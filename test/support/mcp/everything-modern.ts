import type { Id, JsonObject, Outcome, JsonRpcRequest } from '../../../src/protocols/json-rpc/message.ts'
import { textOrEmpty } from './everything-input-tools.ts'
import {
  complete,
  everythingPrompts,
  everythingResources,
  everythingTemplates,
  readResource,
} from './everything-content.ts'
import { everythingJobs } from './everything-jobs.ts'
import { everythingTools } from './everything-tools.ts'
import { type Change, FixtureError, type FixtureRequest } from './fixture-request.ts'
import { text } from './fixture-tool.ts'
import type { Hub } from './hub.ts'
import { InputRequired, modernRequest, type SendNotification } from './modern-request.ts'
import { listEntry } from './list-entry.ts'
import type { Tasks } from './tasks.ts'

/** The context of a server of 2026-07-28. */
export interface Modern {
  readonly hub: Hub
  readonly tasks: Tasks
  /** Revisions that it reports. */
  readonly supported: readonly string[]
}

const metaName = 'io.modelcontextprotocol/'
const serverInfo = { name: 'everything-fixture', version: '1.0.0' }

/** Handles a request of 2026-07-28, written by hand so that no library hides errors on the wire. */
export const everythingModern = async (
  modern: Modern,
  request: JsonRpcRequest,
  tell: SendNotification,
  signal: AbortSignal,
): Promise<Outcome> => {
  try {
    checkMeta(modern, request)
    if (request.method === 'subscriptions/listen') return await listen(modern.hub, request, tell, signal)
    const result = await answer(modern, request, tell)
    return { result: completed(result) }
  } catch (error) {
    if (error instanceof InputRequired) return { result: withInfo(error.result) }
    if (!(error instanceof FixtureError)) throw error
    const { code, message, data } = error
    return { error: { code, message, ...(data === undefined ? {} : { data }) } }
  }
}

/** @returns Whether a message is of a revision without handshake, by its metadata. */
export const isModern = ({ params }: { readonly params?: JsonObject | undefined }): boolean => {
  const meta = params?._meta
  return typeof meta === 'object' && meta !== null && `${metaName}protocolVersion` in meta
}

const withInfo = (result: JsonObject): JsonObject => ({
  ...result,
  _meta: { ...(result._meta as JsonObject | undefined), [`${metaName}serverInfo`]: serverInfo },
})

const completed = (result: JsonObject) => withInfo({ resultType: 'complete', ...result })

const checkMeta = ({ supported }: Modern, { params }: JsonRpcRequest): void => {
  const meta = params?._meta as JsonObject | undefined
  const requested = meta?.[`${metaName}protocolVersion`]
  if (typeof requested !== 'string') throw new FixtureError(-32602, '_meta does not name a revision')
  if (typeof meta?.[`${metaName}clientCapabilities`] !== 'object')
    throw new FixtureError(-32602, '_meta does not name the capabilities of the client')
  if (requested !== '2026-07-28')
    throw new FixtureError(-32022, 'Unsupported protocol version', { supported, requested })
}

const listed = { ttlMs: 5000, cacheScope: 'public' }

const named = <Item extends { readonly name: string }>(
  items: readonly Item[],
  params: JsonObject,
  what: string,
) => {
  const found = items.find(({ name }) => name === params.name)
  if (found === undefined) throw new FixtureError(-32602, `Unknown ${what}: ${String(params.name)}`)
  return found
}

const answer = async (
  modern: Modern,
  request: JsonRpcRequest,
  tell: SendNotification,
): Promise<JsonObject> => {
  const params = request.params ?? {}
  const asked = (): FixtureRequest => modernRequest(request, tell, modern.hub.changed)
  switch (request.method) {
    case 'server/discover':
      return {
        ...listed,
        supportedVersions: modern.supported,
        capabilities: {
          logging: {},
          completions: {},
          tools: { listChanged: true },
          prompts: { listChanged: true },
          resources: { listChanged: true, subscribe: true },
          extensions: { [tasksName]: {} },
        },
        instructions: 'A server to test gateways with.',
      }
    case 'tools/list':
      return { ...listed, tools: everythingTools.map(listEntry) }
    case 'tools/call':
      return await call(modern.tasks, named(everythingTools, params, 'tool'), asked())
    case 'prompts/list':
      return { ...listed, prompts: everythingPrompts.map(listEntry) }
    case 'prompts/get':
      return await named(everythingPrompts, params, 'prompt').get(asked())
    case 'resources/list':
      return { ...listed, resources: everythingResources }
    case 'resources/templates/list':
      return { ...listed, resourceTemplates: everythingTemplates }
    case 'resources/read':
      return { ttlMs: 0, cacheScope: 'private', ...readResource(String(params.uri), -32602) }
    case 'completion/complete':
      return complete(textOrEmpty((params.argument as JsonObject | undefined)?.value))
    case 'tasks/get':
    case 'tasks/update':
    case 'tasks/cancel':
      needTasks((params._meta as JsonObject)[`${metaName}clientCapabilities`] as JsonObject)
      return modern.tasks.answer(request.method, params)
    default:
      throw new FixtureError(-32601, `Method not found: ${request.method}`)
  }
}

const tasksName = `${metaName}tasks`

const knowsTasks = (capabilities: JsonObject): boolean =>
  typeof (capabilities.extensions as JsonObject | undefined)?.[tasksName] === 'object'

const needTasks = (capabilities: JsonObject): void => {
  if (!knowsTasks(capabilities))
    throw new FixtureError(-32021, 'the client knows no tasks', {
      requiredCapabilities: { extensions: { [tasksName]: {} } },
    })
}

const call = async (
  tasks: Tasks,
  tool: (typeof everythingTools)[number],
  request: FixtureRequest,
): Promise<JsonObject> => {
  try {
    const job = everythingJobs.find(({ name }) => name === tool.name)
    if (job?.required === true) needTasks(request.capabilities)
    if (job !== undefined && knowsTasks(request.capabilities)) return tasks.start(await job.prepare(request))
    return await tool.run(request)
  } catch (error) {
    if (error instanceof FixtureError || error instanceof InputRequired) throw error
    return { ...text(String(error)), isError: true }
  }
}

const listen = (
  hub: Hub,
  { id, params }: JsonRpcRequest,
  tell: SendNotification,
  signal: AbortSignal,
): Promise<Outcome> => {
  const filter = (params?.notifications ?? {}) as JsonObject
  const uris = Array.isArray(filter.resourceSubscriptions) ? filter.resourceSubscriptions : []
  const tagged = (method: string, more: JsonObject = {}) => {
    tell(method, { ...more, _meta: { [`${metaName}subscriptionId`]: id } })
  }
  tagged('notifications/subscriptions/acknowledged', { notifications: filter })
  const quit = hub.listen((change: Change) => {
    if (change.kind !== 'resource') {
      if (filter[`${change.kind}ListChanged`] === true) tagged(`notifications/${change.kind}/list_changed`)
    } else if (uris.includes(change.uri)) tagged('notifications/resources/updated', { uri: change.uri })
  })
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => {
      quit()
      resolve({ result: { resultType: 'complete', _meta: subscription(id) } })
    })
  })
}

const subscription = (id: Id) => ({ [`${metaName}subscriptionId`]: id })
