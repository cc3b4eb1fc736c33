import { jsonObjectIn } from '../../../protocols/json/json-object.ts'
import type {
  JsonObject,
  Notification,
  Outcome,
  JsonRpcRequest,
} from '../../../protocols/json-rpc/message.ts'
import type { ListShape, Subject } from '../../../protocols/mcp/methods.ts'
import type { Names } from '../../../protocols/mcp/target-prefixes.ts'

/** Translates names between servers and client, wherever messages carry them. */
export class Renaming {
  readonly names: Names

  constructor(names: Names) {
    this.names = names
  }

  /** A server's own message. Requests get an id that names the server, since responses carry nothing else. */
  toClient(target: string, message: Notification | JsonRpcRequest): Notification | JsonRpcRequest {
    const { names } = this
    const { params } = message
    if ('id' in message) {
      const id = names.requestId(target, message.id)
      const meta = jsonObjectIn(params?._meta)
      const token = meta?.progressToken
      if (!isToken(token)) return { ...message, id }
      return {
        ...message,
        id,
        params: { ...params, _meta: { ...meta, progressToken: names.requestId(target, token) } },
      }
    }
    if (!params) return message
    // The server withdraws its own request.
    if (message.method === 'notifications/cancelled' && isToken(params.requestId))
      return { ...message, params: { ...params, requestId: names.requestId(target, params.requestId) } }
    // Ids of tasks name their server where names do not.
    if (message.method === 'notifications/tasks/status')
      return { ...message, params: names.renameTask(target, params) }
    if (names.prefixed && message.method === 'notifications/resources/updated')
      return { ...message, params: names.renameResource(target, params) }
    return message
  }

  /** The server whose request a client reports progress of, and the parameters in the server's terms. */
  progressOf(params: JsonObject | undefined): { target: string; params: JsonObject } | undefined {
    const token = params?.progressToken
    const owner = isToken(token) ? this.names.splitRequestId(token) : undefined
    return owner && { target: owner.target, params: { ...params, progressToken: owner.id } }
  }

  /** An item of a list, under the client's name for it. */
  item(target: string, list: ListShape, item: JsonObject, mayRead: (uri: string) => boolean): JsonObject {
    const { names } = this
    if (list.key === 'tools') return names.renameTool(target, item, mayRead)
    if (list.key === 'prompts') return names.renamePrompt(target, item)
    if (list.key === 'resources') return names.renameResource(target, item)
    return list.key === 'tasks' ? names.renameTask(target, item) : names.renameTemplate(target, item)
  }

  /** The params of a request with the server's own name of the subject. */
  paramsFor({ kind }: Subject, name: string, params: JsonObject | undefined): JsonObject | undefined {
    if (!params) return params
    if (kind === 'task') return params.taskId === name ? params : { ...params, taskId: name }
    if (!this.names.prefixed) return params
    const ref = jsonObjectIn(params.ref)
    if (ref) return { ...params, ref: 'uri' in ref ? { ...ref, uri: name } : { ...ref, name } }
    if (kind === 'resource') return { ...params, uri: name }
    return { ...params, name }
  }

  /** The subscriptions of a client that concern one server, in that server's names. */
  subscriptionsFor(target: string, params: JsonObject | undefined): JsonObject {
    const notifications = jsonObjectIn(params?.notifications) ?? {}
    const { resourceSubscriptions: uris } = notifications
    if (!Array.isArray(uris) || !this.names.prefixed) return notifications
    const own = uris.flatMap((uri) => {
      const parts = this.names.splitResource(String(uri))
      return parts?.target === target ? [parts.uri] : []
    })
    return { ...notifications, resourceSubscriptions: own }
  }

  /** The union of what servers have granted. */
  granted(shares: readonly { readonly target: string; readonly granted: JsonObject }[]): JsonObject {
    const all: JsonObject = {}
    const subscribed: string[] = []
    for (const { target, granted } of shares)
      for (const [kind, value] of Object.entries(granted)) {
        if (Array.isArray(value))
          subscribed.push(...value.map((uri) => this.names.resource(target, String(uri))))
        else if (value === true) all[kind] = true
      }
    return subscribed.length > 0 ? { ...all, resourceSubscriptions: [...new Set(subscribed)] } : all
  }

  /** The outcome, with links to resources and tasks in the client's names. */
  outcome(target: string, method: string, outcome: Outcome): Outcome {
    if ('error' in outcome) return outcome
    const { result } = outcome
    if (this.names.prefixed) return { result: this.#result(target, method, result) }
    return method === 'tools/call' || method.startsWith('tasks/')
      ? { result: this.#withTask(target, result) }
      : outcome
  }

  #result(target: string, method: string, result: JsonObject): JsonObject {
    if (method === 'tools/call') return this.#withTask(target, this.#withItems(target, result, 'content'))
    if (method === 'resources/read') return this.#withItems(target, result, 'contents')
    if (method === 'prompts/get' && Array.isArray(result.messages))
      return {
        ...result,
        messages: result.messages.map((one: unknown) => {
          const content = jsonObjectIn(jsonObjectIn(one)?.content)
          return content ? { ...(one as object), content: this.#content(target, content) } : one
        }),
      }
    return method.startsWith('tasks/') ? this.#withTask(target, result) : result
  }

  #withItems(target: string, result: JsonObject, key: string): JsonObject {
    const items = result[key]
    if (!Array.isArray(items)) return result
    const renamed = items.map((one: unknown) => {
      const item = jsonObjectIn(one)
      return item ? this.#content(target, item) : one
    })
    return { ...result, [key]: renamed }
  }

  #content(target: string, item: JsonObject): JsonObject {
    const resource = jsonObjectIn(item.resource)
    if (resource) return { ...item, resource: this.names.renameResource(target, resource) }
    return this.names.renameResource(target, item)
  }

  #withTask(target: string, result: JsonObject): JsonObject {
    const task = jsonObjectIn(result.task)
    const own = this.names.renameTask(target, result)
    return task ? { ...own, task: this.names.renameTask(target, task) } : own
  }
}

const isToken = (value: unknown): value is string | number =>
  typeof value === 'string' || typeof value === 'number'
