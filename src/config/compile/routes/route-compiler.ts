import type { EncodedSlashes } from '../../../model/resources/frontend-policies.ts'
import type { Route } from '../../../model/resources/resources.ts'
import type { RouteLabels } from '../../../model/resources/snapshot.ts'
import { routeGroup, routeGroupLimit } from '../../../operators/route/route-group.ts'
import { type PipedRoute, route as routeOperator } from '../../../operators/route/route.ts'
import { type RouteTable, routeTable } from '../../../operators/route/table.ts'
import { sortAfter, type SortedByPrecedence } from '../../resource-precedence.ts'
import type { CompileContext } from '../compile-context.ts'
import type { CompilePass } from '../compile-pass.ts'
import { handedDown, type HandedDown } from './handed-down.ts'
import { type CompiledGroup, type CompiledRoute, compileRoute, type RouteScope, slashesOf } from '../route.ts'

/** The listener whose routes are compiled. */
export interface RoutesOfListener {
  /** Unique in the configuration. */
  readonly key: string
  readonly labels: RouteLabels
  /** What distinguishes parts of the same route, compared by identity. */
  readonly scope: object
  readonly within: (context: CompileContext) => CompileContext
  readonly pass: CompilePass
}

/** Groups within groups; a request that goes deeper gets 500. */
const MAX_DEPTH = 16

/** Different policies that are handed down to one group; more get 500. */
const MAX_VARIANTS = 64

/**
 * Compiles the routes of a listener and the groups that they delegate to, each route as a part of its own: a change of
 * one compiles that one, and the tables that it is in.
 *
 * A group is compiled once for all routes that hand down the same policies to it, at each depth. So there is an end even
 * of groups that delegate to each other, or to several others on each of many levels.
 */
export class RouteCompiler {
  readonly #listener: RoutesOfListener
  readonly #groups = new Map<string, CompiledGroup>()
  /** The policies that are handed down to each group, by its name. */
  readonly #variants = new Map<string, Set<string>>()

  constructor(listener: RoutesOfListener) {
    this.#listener = listener
  }

  /** Compiles routes of the listener. */
  *routes(routes: readonly Route[]): Generator<undefined, readonly PipedRoute[]> {
    const { key, labels, scope } = this.#listener
    const compiled = yield* this.#compile(routes, {
      key,
      depth: 0,
      identity: scope,
      scope: { listener: labels },
    })
    return compiled.map(({ route }) => route)
  }

  *#compile(routes: readonly Route[], table: TableScope): Generator<undefined, readonly CompiledRoute[]> {
    const { pass, within } = this.#listener
    const own = routes.some(delegates) ? routes.filter((route) => !delegates(route)) : routes
    const compiled = yield* pass.parts('route', table.identity, own, (route: Route, context) =>
      compileRoute(route, table.scope, within(context)),
    )
    if (own === routes) return compiled
    const all: CompiledRoute[] = []
    let next = 0
    for (const route of routes)
      all.push(
        delegates(route) ? yield* this.#compileDelegating(route, table) : (compiled[next++] as CompiledRoute),
      )
    return all
  }

  /** A part that depends on its groups, and therefore has a scope of its own. */
  *#compileDelegating(route: Route, table: TableScope): Generator<undefined, CompiledRoute> {
    const { pass, within } = this.#listener
    const groups = new Map<string, CompiledGroup>()
    for (const name of groupNames(route)) groups.set(name, yield* this.#group(name, route, table))
    const scope = pass.derived.of(
      'delegating route',
      `${table.key} ${route.key}`,
      [table.identity, ...groups.values()],
      (): RouteScope => ({ ...table.scope, groups }),
    )
    return yield* pass.part('delegating route', scope, route, (one: Route, context) =>
      compileRoute(one, scope, within(context)),
    )
  }

  *#group(name: string, outer: Route, table: TableScope): Generator<undefined, CompiledGroup> {
    const { key: listener } = this.#listener
    const handed = handedDown(outer)
    const slashes = slashesOf(outer, table.scope)
    const key = JSON.stringify([listener, name, table.depth, slashes, handed?.key])
    const known = this.#groups.get(key)
    if (known) return known
    const compiled =
      this.#limit(name, table.depth, handed) ?? (yield* this.#compileGroup(name, key, handed, table, slashes))
    this.#groups.set(key, compiled)
    return compiled
  }

  #limit(name: string, depth: number, handed: HandedDown | undefined): CompiledGroup | undefined {
    if (depth >= MAX_DEPTH) return tooDeep
    const variants = this.#variants.get(name) ?? new Set()
    this.#variants.set(name, variants.add(handed?.key ?? ''))
    return variants.size > MAX_VARIANTS ? tooManyVariants : undefined
  }

  *#compileGroup(
    name: string,
    key: string,
    handed: HandedDown | undefined,
    outer: TableScope,
    encodedSlashes: EncodedSlashes | undefined,
  ): Generator<undefined, CompiledGroup> {
    const { labels, scope, pass } = this.#listener
    const { derived } = pass
    const inner = derived.of('scope of group', key, [scope], () => ({ listener: labels, encodedSlashes }))
    const given = pass.routeGroup(name)?.routes ?? none
    const { sorted } = yield* derived.steps<SortedByPrecedence<Route>>('sorted group', key, (before) =>
      sortAfter(given, before),
    )
    const routes = handed
      ? sorted.map((one) =>
          derived.of('handed route', `${key} ${one.key}`, [one, ...handed.policies], () => handed.to(one)),
        )
      : sorted
    const compiled = yield* this.#compile(routes, {
      key,
      depth: outer.depth + 1,
      identity: inner,
      scope: inner,
    })
    return derived.of<TabledGroup>('route group', key, [inner, ...compiled], (before) => {
      const table = routeTable(
        compiled.map(({ route }) => route),
        before?.table,
      )
      const slashes = encodedSlashes ?? pass.shared.resources.frontend.http.path.encodedSlashes
      return {
        table,
        pipeline: routeGroup(name, outer.depth, routeOperator(table, slashes)),
        // Each once: groups may be reached in many ways.
        resolvers: [...new Set(compiled.flatMap(({ resolvers }) => resolvers))],
      }
    })
  }
}

/** A list of routes that one of is selected of: those of a listener, or of a group. */
interface TableScope {
  /** Unique in the configuration. */
  readonly key: string
  /** The number of groups around it. */
  readonly depth: number
  readonly identity: object
  readonly scope: RouteScope
}

interface TabledGroup extends CompiledGroup {
  readonly table: RouteTable<PipedRoute>
}

const groupNames = ({ backends }: Route): ReadonlySet<string> =>
  new Set(backends.flatMap(({ target }) => (target.kind === 'routeGroup' ? [target.name] : [])))

const delegates = ({ backends }: Route): boolean =>
  backends.some(({ target }) => target.kind === 'routeGroup')

const tooDeep: CompiledGroup = {
  pipeline: routeGroupLimit(`route groups are nested more than ${MAX_DEPTH} deep`),
  resolvers: [],
}

const tooManyVariants: CompiledGroup = {
  pipeline: routeGroupLimit(`more than ${MAX_VARIANTS} routes hand down different policies to a route group`),
  resolvers: [],
}

const none: readonly never[] = []
