import { EMPTY, expand, map, mergeMap, type Observable, of, reduce, tap } from 'rxjs'
import { METHOD_NOT_FOUND } from '../../../../protocols/json-rpc/error-codes.ts'
import type { JsonObject, Outcome } from '../../../../protocols/json-rpc/message.ts'
import { isJsonObject } from '../../../../protocols/json/json-object.ts'
import { mergeCacheHints } from '../../../../protocols/mcp/cache-hints.ts'
import { collisions } from '../../../../protocols/mcp/merge.ts'
import { listOf, type ListShape } from '../../../../protocols/mcp/methods.ts'
import { askPeer } from './ask-peer.ts'
import { factsOf } from './facts.ts'
import { fanOut, type Share } from './fan-out.ts'
import type { FederationOptions } from './federation.ts'
import type { Peer } from '../servers/peer.ts'
import { principalOf } from '../sessions/principal.ts'
import { outcomeFor, type Question } from './question.ts'
import { ServerErred } from '../answer/mcp-refusal.ts'
import type { Renaming } from './renaming.ts'
import type { Target } from '../servers/target.ts'
import { traced } from './trace-fields.ts'

/** A server's list must end at some time. */
const PAGES_LIMIT = 64

/** Lists of tools, prompts, resources and their templates: of one server page by page, of several as one whole. */
export class McpLists {
  readonly #options: FederationOptions
  readonly #renaming: Renaming

  constructor(options: FederationOptions, renaming: Renaming) {
    this.#options = options
    this.#renaming = renaming
  }

  answer(question: Question, list: ListShape): Observable<Outcome> {
    const { targets } = this.#options
    const [only] = targets
    if (only && targets.length === 1)
      return ask(question, only, question.params).pipe(
        map((outcome) => this.#shown(question, only, outcome, list)),
      )
    return fanOut(targets, this.#options, (target) => wholeList(question, target, list), question.x).pipe(
      map((shares) => ({ result: this.#merged(question, shares, list) })),
    )
  }

  #merged(question: Question, shares: readonly Share<WholeList>[], list: ListShape): JsonObject {
    const items = shares.flatMap(({ target, value }) => this.#allowed(question, target, value.items, list))
    if (!this.#options.names.prefixed) this.#report(shares, list)
    return {
      [list.key]: this.#options.names.prefixed ? items : unique(items, list),
      ...this.#hints(shares.flatMap(({ value }) => value.pages)),
    }
  }

  /** Whoever runs this should know why something is not offered. */
  #report(shares: readonly Share<WholeList>[], { kind, name: member }: ListShape): void {
    const lists = shares.map(({ target, value }) => ({
      target: target.name,
      names: value.items.map((item) => String(item[member])),
    }))
    for (const { name, targets } of collisions(lists)) {
      const having = shares.filter(({ target }) => targets.includes(target.name))
      const news = having.map(({ target }) => target.memory.collides(kind, name))
      if (news.includes(true)) this.#options.collided?.({ kind, name, targets })
    }
  }

  /** What rules may hide from one caller is no list for everybody. */
  #hints(pages: readonly JsonObject[]): JsonObject {
    if (!pages.some(({ ttlMs }) => ttlMs !== undefined)) return {}
    const { ttlMs, cacheScope } = mergeCacheHints(pages)
    return { ttlMs, cacheScope: this.#options.isRuled ? 'private' : cacheScope }
  }

  #shown(question: Question, target: Target, outcome: Outcome, list: ListShape): Outcome {
    if ('error' in outcome) return outcome
    const items = itemsOf(outcome.result, list)
    const hints = this.#options.isRuled ? this.#hints([outcome.result]) : {}
    return {
      result: { ...outcome.result, ...hints, [list.key]: this.#allowed(question, target, items, list) },
    }
  }

  /** What the caller may use, by the names it has for the client. */
  #allowed(question: Question, target: Target, items: readonly JsonObject[], list: ListShape): JsonObject[] {
    const { mayUse } = this.#options
    const { x } = question
    const facts = factsOf(question)
    const mayRead = (uri: string): boolean =>
      mayUse(x, { ...facts, resource: { target: target.name, name: uri } })
    const shown: JsonObject[] = []
    for (const item of items) {
      const name = item[list.name]
      if (typeof name !== 'string') continue
      if (!mayUse(x, { ...facts, [list.kind]: { target: target.name, name } })) continue
      shown.push(this.#renaming.item(target.name, list, item, mayRead))
    }
    return shown
  }
}

/** All that one server lists. */
export interface WholeList {
  readonly items: readonly JsonObject[]
  /** What they came in. */
  readonly pages: readonly JsonObject[]
}

/** All pages of one server's list; nothing if it has none of the kind. */
export const wholeList = (
  question: Question,
  target: Target,
  list: ListShape,
  method = question.method,
): Observable<WholeList> =>
  question.access.peer(target, question.x).pipe(
    mergeMap((peer) => (offers(peer, list) ? pages({ ...question, method }, target) : of(nothing))),
    reduce<Outcome, JsonObject[]>((results, outcome) => {
      if ('result' in outcome) results.push(outcome.result)
      return results
    }, []),
    map((results) => ({ items: results.flatMap((result) => itemsOf(result, list)), pages: results })),
  )

const pages = (question: Question, target: Target): Observable<Outcome> => {
  let count = 1
  return ask(question, target, metaOf(question.params)).pipe(
    expand((outcome) => {
      const cursor = 'result' in outcome ? outcome.result.nextCursor : undefined
      if (typeof cursor !== 'string' || count++ >= PAGES_LIMIT) return EMPTY
      return ask(question, target, { ...metaOf(question.params), cursor })
    }),
    map((outcome) => {
      if (!('error' in outcome)) return outcome
      if (outcome.error.code === METHOD_NOT_FOUND) return nothing
      throw new ServerErred(target.name, outcome.error)
    }),
  )
}

const ask = (question: Question, target: Target, params: JsonObject | undefined): Observable<Outcome> => {
  const { x, method } = question
  const { lists, fields } = target.memory
  const whose = principalOf(x) || undefined
  const kept = lists.find(method, params, whose)
  if (kept) return of(kept)
  return askPeer(question, target, { method, params: traced(params, x.request.headers) }).pipe(
    outcomeFor(question, target.name),
    tap((outcome) => {
      lists.keep(method, params, whose, outcome)
      if (method === 'tools/list' && 'result' in outcome) fields.learn(itemsOf(outcome.result, toolList))
    }),
  )
}

/** A server that says what it has need not be asked for the rest. One whose session began elsewhere is asked. */
const offers = ({ about }: Peer, list: ListShape): boolean =>
  !about || (list.key === 'resourceTemplates' ? 'resources' : list.key) in about.capabilities

/** Without prefixes nobody could tell apart what two servers call alike: neither is offered. */
const unique = (items: readonly JsonObject[], list: ListShape): JsonObject[] => {
  const counts = new Map<unknown, number>()
  for (const item of items) counts.set(item[list.name], (counts.get(item[list.name]) ?? 0) + 1)
  return items.filter((item) => counts.get(item[list.name]) === 1)
}

const toolList = listOf('tools/list') as ListShape

const nothing: Outcome = { result: {} }

const metaOf = (params: JsonObject | undefined): JsonObject | undefined =>
  params?._meta === undefined ? undefined : { _meta: params._meta }

const itemsOf = (result: JsonObject, list: ListShape): JsonObject[] => {
  const items = result[list.key]
  if (!Array.isArray(items)) return []
  return items.filter(isJsonObject)
}
