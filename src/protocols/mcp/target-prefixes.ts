import type { LRUCache } from 'lru-cache'
import type { Id, JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'
import { SHORTEST_LIMIT, isShortened, shortName } from './tool-name-limit.ts'
import { boundedCache } from '../../model/introspection/bounded-cache.ts'

/** When names are prefixed with their server; `conditional` means unless there is only one. */
export type PrefixMode = 'conditional' | 'always' | 'never'

/** A tool or prompt of a server. */
export interface OwnName {
  readonly target: string
  /** The server's own name. */
  readonly name: string
}

/** A resource of a server, or a template. */
export interface OwnUri {
  readonly target: string
  readonly uri: string
}

/** An item of a server with an id. */
export interface OwnId<T = string> {
  readonly target: string
  readonly id: T
}

/**
 * Translates names between servers and clients. Names of targets contain neither `_` nor `+`, so that the text before
 * the first of them is the target.
 *
 * The translation is stateless, except for names of tools and prompts that are too long for clients or have characters
 * that clients refuse: they are shortened, and a bounded number is cached. `splitTool` finds no others; listing the
 * tools again makes it find them.
 *
 * Without prefixes, everything belongs to the only target. If there are several (`never`), only ids name their target,
 * since they are opaque to clients.
 *
 * @example
 * const names = new Names(['files', 'git'], 'conditional')
 * names.tool('git', 'git_log') // 'git_git_log'
 * names.splitTool('git_git_log') // { target: 'git', name: 'git_log' }
 */
export class Names {
  /** Whether names of tools, prompts and resources carry their target. */
  readonly prefixed: boolean
  readonly #targets: ReadonlySet<string>
  /** The only target, if names have no prefixes. */
  readonly #only: string | undefined
  readonly #idsArePlain: boolean
  readonly #maxLength: number
  /** Made with the first shortened name: it reserves its memory at once. */
  #shortened: LRUCache<string, OwnName> | undefined = undefined

  /** @throws RangeError for a maximum length that leaves too little of a name. */
  constructor(targets: readonly string[], mode: PrefixMode, options: { readonly maxLength?: number } = {}) {
    this.#maxLength = options.maxLength ?? DEFAULT_MAX_LENGTH
    if (this.#maxLength < SHORTEST_LIMIT)
      throw new RangeError(`names need at least ${SHORTEST_LIMIT} characters`)
    this.#targets = new Set(targets)
    this.prefixed = mode === 'always' || (mode === 'conditional' && targets.length !== 1)
    this.#only = !this.prefixed && targets.length === 1 ? targets[0] : undefined
    this.#idsArePlain = this.#only !== undefined
  }

  /** The client's name of a tool or prompt. */
  tool(target: string, name: string): string {
    if (!this.prefixed) return name
    const full = `${target}_${name}`
    const short = shortName(full, this.#maxLength)
    if (short !== full) {
      this.#shortened ??= boundedCache<string, OwnName>('shortened_mcp_names', { max: SHORTENED_LIMIT })
      this.#shortened.set(short, { target, name })
    }
    return short
  }

  /** @returns Undefined for an unknown target, or a shortened name that is not cached. */
  splitTool(name: string): OwnName | undefined {
    if (!this.prefixed) return this.#only === undefined ? undefined : { target: this.#only, name }
    if (isShortened(name)) return this.#shortened?.get(name)
    const end = name.indexOf('_')
    const target = name.slice(0, Math.max(end, 0))
    return this.#targets.has(target) ? { target, name: name.slice(end + 1) } : undefined
  }

  /** The client's URI. A text without a scheme is no URI and stays unchanged. */
  resource(target: string, uri: string): string {
    if (!this.prefixed || !scheme.test(uri)) return uri
    // Clients recognize interfaces by their scheme (MCP Apps): it stays in front.
    return uri.startsWith(UI) ? `${UI}${target}+${uri.slice(UI.length)}` : `${target}+${uri}`
  }

  /** As `resource`; a template may begin with a variable. */
  resourceTemplate(target: string, uriTemplate: string): string {
    return this.prefixed && uriTemplate.startsWith('{')
      ? `${target}+${uriTemplate}`
      : this.resource(target, uriTemplate)
  }

  /** The server's own URI of a resource or template. */
  splitResource(uri: string): OwnUri | undefined {
    if (!this.prefixed) return this.#only === undefined ? undefined : { target: this.#only, uri }
    const isUi = uri.startsWith(UI)
    const own = this.#splitAtPlus(isUi ? uri.slice(UI.length) : uri)
    return own && { target: own.target, uri: isUi ? `${UI}${own.id}` : own.id }
  }

  task(target: string, id: string): string {
    return this.#idsArePlain ? id : `${target}+${id}`
  }

  splitTask(id: string): OwnId | undefined {
    return this.#only === undefined ? this.#splitAtPlus(id) : { target: this.#only, id }
  }

  /** The client's id of a server's request. */
  requestId(target: string, id: Id): Id {
    return this.#idsArePlain ? id : `${ID_PREFIX}${target}_${typeof id === 'number' ? 'n' : 's'}_${id}`
  }

  splitRequestId(id: Id): OwnId<Id> | undefined {
    if (this.#only !== undefined) return { target: this.#only, id }
    if (typeof id !== 'string' || !id.startsWith(ID_PREFIX)) return undefined
    const end = id.indexOf('_', ID_PREFIX.length)
    const target = id.slice(ID_PREFIX.length, Math.max(end, 0))
    if (!this.#targets.has(target)) return undefined
    const text = id.slice(end + 3)
    const kind = id.slice(end, end + 3)
    if (kind === '_s_') return { target, id: text }
    const number = Number(text)
    // Only ids made here: another spelling of a number is invalid.
    return kind === '_n_' && String(number) === text && Number.isFinite(number)
      ? { target, id: number }
      : undefined
  }

  /**
   * A tool for clients, with the URI of its interface (MCP Apps) in both places.
   *
   * @param mayRead Whether the client may read a resource, by the server's own URI. An interface it may not read is
   * removed.
   */
  renameTool(target: string, tool: JsonObject, mayRead?: (uri: string) => boolean): JsonObject {
    const named = this.#renamed(tool, 'name', (name) => this.tool(target, name))
    const { _meta: meta } = named
    if (!isJsonObject(meta)) return named
    let renamed = this.#interface(target, meta, FLAT_UI_KEY, mayRead)
    if (isJsonObject(renamed.ui)) {
      const ui = this.#interface(target, renamed.ui, 'resourceUri', mayRead)
      if (ui !== renamed.ui) renamed = { ...renamed, ui }
    }
    return renamed === meta ? named : { ...named, _meta: renamed }
  }

  renamePrompt(target: string, prompt: JsonObject): JsonObject {
    return this.#renamed(prompt, 'name', (name) => this.tool(target, name))
  }

  /** For resources, links, contents and notifications: anything with a `uri`. */
  renameResource(target: string, resource: JsonObject): JsonObject {
    return this.#renamed(resource, 'uri', (uri) => this.resource(target, uri))
  }

  renameTemplate(target: string, template: JsonObject): JsonObject {
    return this.#renamed(template, 'uriTemplate', (uri) => this.resourceTemplate(target, uri))
  }

  renameTask(target: string, task: JsonObject): JsonObject {
    return this.#renamed(task, 'taskId', (id) => this.task(target, id))
  }

  #splitAtPlus(text: string): OwnId | undefined {
    const end = text.indexOf('+')
    const target = text.slice(0, Math.max(end, 0))
    return this.#targets.has(target) ? { target, id: text.slice(end + 1) } : undefined
  }

  #renamed(item: JsonObject, key: string, rename: (text: string) => string): JsonObject {
    const text = item[key]
    if (typeof text !== 'string') return item
    const renamed = rename(text)
    return renamed === text ? item : { ...item, [key]: renamed }
  }

  #interface(
    target: string,
    holder: JsonObject,
    key: string,
    mayRead: ((uri: string) => boolean) | undefined,
  ) {
    const uri = holder[key]
    if (typeof uri !== 'string') return holder
    if (mayRead && !mayRead(uri)) {
      const { [key]: _, ...rest } = holder
      return rest
    }
    return this.#renamed(holder, key, () => this.resource(target, uri))
  }
}

/** The limit of most clients; some add a prefix of their own. */
const DEFAULT_MAX_LENGTH = 64
/** Shortened names that are kept: a hundred servers with a hundred tools each. */
const SHORTENED_LIMIT = 10_000
const ID_PREFIX = 'agw_'
const UI = 'ui://'
const FLAT_UI_KEY = 'ui/resourceUri'
const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/
