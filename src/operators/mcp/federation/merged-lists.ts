import { EMPTY, expand, map, mergeMap, type Observable, of, reduce, tap, throwError } from 'rxjs'
import { METHOD_NOT_FOUND } from '../../../protocols/json-rpc/error-codes.ts'
import type { McpCollision } from '../../../model/mcp/mcp-status.ts'
import type { JsonObject, Outcome } from '../../../protocols/json-rpc/message.ts'
import { isJsonObject } from '../../../protocols/json/json-object.ts'
import { mergeCacheHints } from '../../../protocols/mcp/cache-hints.ts'
import { collisions } from '../../../protocols/mcp/merge.ts'
import { invalidParams } from '../../../protocols/mcp/errors.ts'
import { listMethodOf, type ListShape } from '../../../protocols/mcp/methods.ts'
import type { Names } from '../../../protocols/mcp/target-prefixes.ts'
import { callServer } from './call-server.ts'
import { mcpAttributesOf } from './attributes.ts'
import { type FailurePolicy, fanOut, type TargetResult } from './fan-out.ts'
import type { MayUse } from './authorization.ts'
import type { ServerClient } from '../servers/server-client.ts'
import { principalOf } from '../sessions/principal.ts'
import { outcomeFor, type McpClientRequest } from './client-request.ts'
import { McpRefusal, ServerErred } from '../response/json-rpc-error.ts'
import type { Renaming } from './renaming.ts'
import type { Target } from '../servers/target.ts'
import { traced } from './trace-context.ts'

/** Pages that are read of one server's list. */
const PAGES_LIMIT = 64

/** Options of merged lists. */
export interface McpListsOptions extends FailurePolicy {
  readonly targets: readonly Target[]
  readonly names: Names
  readonly mayUse: MayUse
  /** Whether rules may hide from one caller what they show to another. */
  readonly isRuled: boolean
  /** Called once for each name that several servers use, where names have no prefixes. */
  readonly onCollision?: ((collision: McpCollision) => void) | undefined
}

/**
 * Lists of tools, prompts, resources and their templates: of one server page by page, of several servers as one page.
 */
export class McpLists {
  readonly #options: McpListsOptions
  readonly #renaming: Renaming

  constructor(options: McpListsOptions, renaming: Renaming) {
    this.#options = options
    this.#renaming = renaming
  }

  list(request: McpClientRequest, list: ListShape): Observable<Outcome> {
    const { targets } = this.#options
    const [only] = targets
    if (only && targets.length === 1)
      return fetchPage(request, only, request.params).pipe(
        map((outcome) => this.#visible(request, only, outcome, list)),
      )
    // A merged list has one page: no cursor was ever issued.
    if (isPresent(request.params?.cursor)) return throwError(unknownCursor)
    return fanOut(targets, this.#options, (target) => wholeList(request, target, list), request.x).pipe(
      map((shares) => ({ result: this.#merged(request, shares, list) })),
    )
  }

  #merged(
    request: McpClientRequest,
    shares: readonly TargetResult<WholeList>[],
    list: ListShape,
  ): JsonObject {
    const items = shares.flatMap(({ target, value }) => this.#allowed(request, target, value.items, list))
    if (!this.#options.names.prefixed) this.#report(shares, list)
    return {
      [list.key]: this.#options.names.prefixed ? items : unique(items, list),
      ...this.#hints(shares.flatMap(({ value }) => value.pages)),
    }
  }

  /** Reports names that are not offered because several servers use them. */
  #report(shares: readonly TargetResult<WholeList>[], { kind, name: member }: ListShape): void {
    const lists = shares.map(({ target, value }) => ({
      target: target.name,
      names: value.items.map((item) => String(item[member])),
    }))
    for (const { name, targets } of collisions(lists)) {
      const having = shares.filter(({ target }) => targets.includes(target.name))
      const reported = having.map(({ target }) => target.state.addCollision(kind, name))
      if (reported.includes(true)) this.#options.onCollision?.({ kind, name, targets })
    }
  }

  /** A list that rules filter for each caller is not public. */
  #hints(pages: readonly JsonObject[]): JsonObject {
    if (!pages.some(({ ttlMs }) => ttlMs !== undefined)) return {}
    const { ttlMs, cacheScope } = mergeCacheHints(pages)
    return { ttlMs, cacheScope: this.#options.isRuled ? 'private' : cacheScope }
  }

  #visible(request: McpClientRequest, target: Target, outcome: Outcome, list: ListShape): Outcome {
    if ('error' in outcome) return outcome
    const items = itemsOf(outcome.result, list)
    const hints = this.#options.isRuled ? this.#hints([outcome.result]) : {}
    return {
      result: { ...outcome.result, ...hints, [list.key]: this.#allowed(request, target, items, list) },
    }
  }

  /** The items that the caller may use, under the client's names. */
  #allowed(
    request: McpClientRequest,
    target: Target,
    items: readonly JsonObject[],
    list: ListShape,
  ): JsonObject[] {
    const { mayUse } = this.#options
    const { x } = request
    const attributes = mcpAttributesOf(request)
    const mayRead = (uri: string): boolean =>
      mayUse(x, { ...attributes, resource: { target: target.name, name: uri } })
    const visible: JsonObject[] = []
    for (const item of items) {
      const name = item[list.name]
      if (typeof name !== 'string') continue
      if (!mayUse(x, { ...attributes, [list.kind]: { target: target.name, name } })) continue
      visible.push(this.#renaming.item(target.name, list, item, mayRead))
    }
    return visible
  }
}

/** All that one server lists. */
export interface WholeList {
  readonly items: readonly JsonObject[]
  /** The pages they came in. */
  readonly pages: readonly JsonObject[]
}

/** All pages of one server's list; empty if it has no list of the kind. */
export const wholeList = (
  request: McpClientRequest,
  target: Target,
  list: ListShape,
  method = request.method,
): Observable<WholeList> =>
  request.access.connect(target, request.x).pipe(
    mergeMap((server) => (offers(server, list) ? pages({ ...request, method }, target) : of(nothing))),
    reduce<Outcome, JsonObject[]>((results, outcome) => {
      if ('result' in outcome) results.push(outcome.result)
      return results
    }, []),
    map((results) => ({ items: results.flatMap((result) => itemsOf(result, list)), pages: results })),
  )

const pages = (request: McpClientRequest, target: Target): Observable<Outcome> => {
  let count = 1
  return fetchPage(request, target, metaOf(request.params)).pipe(
    expand((outcome) => {
      const cursor = 'result' in outcome ? outcome.result.nextCursor : undefined
      if (typeof cursor !== 'string') return EMPTY
      if (count++ >= PAGES_LIMIT) {
        target.state.listTruncated(request.method, PAGES_LIMIT)
        return EMPTY
      }
      return fetchPage(request, target, { ...metaOf(request.params), cursor })
    }),
    map((outcome) => {
      if (!('error' in outcome)) return outcome
      if (outcome.error.code === METHOD_NOT_FOUND) return nothing
      throw new ServerErred(target.name, outcome.error)
    }),
  )
}

const fetchPage = (
  request: McpClientRequest,
  target: Target,
  params: JsonObject | undefined,
): Observable<Outcome> => {
  const { x, method } = request
  const { lists, fields } = target.state
  const principal = principalOf(x) || undefined
  const kept = lists.find(method, params, principal)
  if (kept) return of(kept)
  return callServer(request, target, { method, params: traced(params, x.request.headers) }).pipe(
    outcomeFor(request, target.name),
    tap((outcome) => {
      lists.keep(method, params, principal, outcome)
      if (method === 'tools/list' && 'result' in outcome) fields.learn(itemsOf(outcome.result, toolList))
    }),
  )
}

/** A server that declares its capabilities is queried for those only. One whose session began elsewhere is queried. */
const offers = ({ about }: ServerClient, list: ListShape): boolean =>
  !about || (list.key === 'resourceTemplates' ? 'resources' : list.key) in about.capabilities

/** Without prefixes, equal names of two servers are ambiguous: neither is offered. */
const unique = (items: readonly JsonObject[], list: ListShape): JsonObject[] => {
  const counts = new Map<unknown, number>()
  for (const item of items) counts.set(item[list.name], (counts.get(item[list.name]) ?? 0) + 1)
  return items.filter((item) => counts.get(item[list.name]) === 1)
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

const unknownCursor = (): McpRefusal => new McpRefusal('mcp_refused', invalidParams('unknown cursor'))

const toolList = listMethodOf('tools/list') as ListShape

const nothing: Outcome = { result: {} }

const metaOf = (params: JsonObject | undefined): JsonObject | undefined =>
  params?._meta === undefined ? undefined : { _meta: params._meta }

const itemsOf = (result: JsonObject, list: ListShape): JsonObject[] => {
  const items = result[list.key]
  if (!Array.isArray(items)) return []
  return items.filter(isJsonObject)
}
