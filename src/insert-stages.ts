/**
 * Custom operators between the stages of a configuration.
 *
 * @module
 */
import type { BackendStages, ListenerStages, RouteStages } from './gateway.ts'
import type { Resources, Route } from './model/resources/resources.ts'
import type { Phases } from './operators/phases.ts'
import { sequence } from './pipeline/sequence.ts'
import type { Operator } from './pipeline/stage.ts'

/** The stages of each level, by their configuration names. */
export interface StagesOf {
  readonly listener: ListenerStages
  readonly route: RouteStages
  readonly backend: BackendStages
}

/** The pipeline in which a stage runs. */
export type StageLevel = keyof StagesOf

/** Stage names of one level or of all. A name is valid whether that stage is configured or not. */
export type StageName<Level extends StageLevel = StageLevel> = {
  readonly [L in Level]: keyof (typeof kinds)[L]
}[Level]

/**
 * An operator between the stages of a level.
 *
 * `before` and `after` refer to the running order, of requests as of replies. A single operator runs at the stage's
 * position for requests (`responseHeaderModifier`: for replies). `{ request, reply }` has an operator for each
 * direction.
 *
 * @example
 * const insertion: Insertion = { level: 'route', before: 'localRateLimit', operator: openHours(8, 20) }
 */
export type Insertion = {
  readonly [L in StageLevel]: InsertionAt<L> & Routes<L> & Position<StageName<L>>
}[StageLevel]

interface InsertionAt<Level> {
  readonly level: Level
  readonly operator: Operator | Partial<Phases>
}

type Position<Name> =
  { readonly before: Name; readonly after?: never } | { readonly after: Name; readonly before?: never }

/**
 * Routes on which it runs, as `name` or `namespace/name`; all if absent. Not for listeners, whose stages run before
 * routing.
 */
type Routes<Level> = Level extends 'listener'
  ? { readonly routes?: never }
  : { readonly routes?: readonly string[] }

/**
 * The shape of a stage: one direction, both, or around those that follow; `operator` is no policy and has no phases.
 */
type KindName = 'operator' | 'around' | 'request' | 'reply' | 'both'

const identityKinds = {
  oidc: 'both',
  jwtAuth: 'both',
  basicAuth: 'both',
  apiKey: 'both',
  extAuthz: 'both',
  authorization: 'request',
} as const

const kinds = {
  listener: {
    redactCredentials: 'operator',
    detectForwarded: 'operator',
    forwarded: 'operator',
    mcpMetadata: 'operator',
    cors: 'both',
    ...identityKinds,
    extProc: 'both',
    transformations: 'both',
  },
  route: {
    timeout: 'around',
    classifyCall: 'operator',
    cors: 'both',
    ...identityKinds,
    parseMcpMessage: 'operator',
    localRateLimit: 'both',
    remoteRateLimit: 'both',
    buffer: 'both',
    extProc: 'both',
    transformations: 'both',
    csrf: 'request',
    requestHeaderModifier: 'request',
    urlRewrite: 'request',
    requestRedirect: 'request',
    requestMirror: 'request',
    delay: 'request',
    directResponse: 'request',
    backend: 'operator',
    responseHeaderModifier: 'reply',
  },
  backend: {
    parseMcpMessage: 'operator',
    authorization: 'request',
    extAuthz: 'both',
    refreshCredentials: 'around',
    backendAuth: 'both',
    providerHeaders: 'operator',
    transformations: 'both',
    requestHeaderModifier: 'request',
    requestRedirect: 'request',
    a2a: 'both',
    signature: 'operator',
    redactCredentials: 'both',
    call: 'operator',
    responseHeaderModifier: 'reply',
  },
} as const satisfies { readonly [L in StageLevel]: Partial<Record<keyof StagesOf[L], KindName>> }

/** The names of the stages of a level, in the order in which requests pass them; then those of replies alone. */
export const stageNames = (level: StageLevel): readonly string[] => Object.keys(kinds[level])

/**
 * Checks insertions from untyped callers.
 *
 * @throws TypeError that names the entry and the valid values.
 */
export const checkInsertions = (insertions: readonly Insertion[]): void => {
  for (const [i, insertion] of insertions.entries()) {
    const problem = problemOf(insertion)
    if (problem !== undefined) throw new TypeError(`insert[${i}]: ${problem}`)
  }
}

/** An insertion from an untyped (JavaScript) caller. */
interface Unchecked {
  readonly level: string
  readonly before?: string
  readonly after?: string
  readonly operator?: Operator | Partial<Phases>
  readonly routes?: unknown
}

const problemOf = (insertion: Insertion): string | undefined => {
  const { level, before, after, operator, routes } = insertion as Unchecked
  if (!Object.hasOwn(kinds, level))
    return `there is no level "${level}"; the levels are ${Object.keys(kinds).join(', ')}`
  if ((before === undefined) === (after === undefined)) return 'either before or after must name a stage'
  const name = before ?? after ?? ''
  const known: Readonly<Record<string, string>> = kinds[level as StageLevel]
  if (!Object.hasOwn(known, name))
    return `level ${level} has no stage "${name}"; its stages are ${Object.keys(known).join(', ')}`
  if (level === 'listener' && routes !== undefined)
    return 'routes cannot be named at level listener: its stages run before a route is known'
  if (typeof operator === 'function') return undefined
  if (!operator?.request && !operator?.reply)
    return 'operator must be an operator, or have request, reply or both'
  if (operator.reply === undefined || known[name] === 'both') return undefined
  const both = Object.keys(known).filter((one) => known[one] === 'both')
  return `stage ${name} has no place for replies; those that have one are ${both.join(', ')}`
}

/**
 * Checks that the routes named by insertions exist.
 *
 * @throws TypeError that names the entry and the existing routes.
 */
export const checkInsertedRoutes = (insertions: readonly Insertion[], resources: Resources): void => {
  const listeners = resources.binds.flatMap((bind) => bind.listeners)
  const routes = [...listeners, ...resources.routeGroups].flatMap((holder) => holder.routes)
  for (const [i, insertion] of insertions.entries())
    for (const name of insertion.routes ?? [])
      if (!routes.some((route) => isCalled(route, name))) {
        const names = [...new Set(routes.map((route) => route.name))].join(', ') || 'none'
        throw new TypeError(`insert[${i}]: the configuration has no route "${name}"; its routes are ${names}`)
      }
}

/** Adds insertions to the stages of a level. `route` is the route of these stages. */
export const insertStages = <Level extends StageLevel>(
  level: Level,
  stages: StagesOf[Level],
  insertions: readonly Insertion[],
  route?: RouteName,
): StagesOf[Level] => {
  const here = insertions.filter((one) => one.level === level && isFor(one, route))
  if (here.length === 0) return stages
  const given: Readonly<Record<string, unknown>> = { ...stages }
  const known = kinds[level] as Readonly<Record<string, KindName>>
  const joined = [...new Set(here.map(stageOf))].map((name) => {
    const before = here.filter((one) => one.before === name).map(phasesOf)
    const after = here.filter((one) => one.after === name).map(phasesOf)
    return [name, join[known[name] ?? 'operator'](given[name] as never, before, after)]
  })
  return { ...stages, ...(Object.fromEntries(joined) as Partial<StagesOf[Level]>) }
}

/** Identifies a route. */
type RouteName = Pick<Route, 'name' | 'namespace'>

const stageOf = (insertion: Insertion): StageName => insertion.before ?? insertion.after

const isFor = ({ routes }: Insertion, route: RouteName | undefined): boolean =>
  routes === undefined || (route !== undefined && routes.some((name) => isCalled(route, name)))

const isCalled = (route: RouteName, name: string): boolean =>
  name === route.name || name === `${route.namespace}/${route.name}`

const phasesOf = ({ operator }: Insertion): Partial<Phases> =>
  typeof operator === 'function' ? { request: operator } : operator

/** The operators before or after one stage. */
type Inserted = readonly Partial<Phases>[]

const requests = (all: Inserted) => all.map(({ request }) => request)
const replies = (all: Inserted) => all.map(({ reply }) => reply)

/** Joins a stage with the operators before and after it. The stage is undefined if it is not configured. */
const join = {
  operator: (stage: Operator | undefined, before: Inserted, after: Inserted): Operator =>
    sequence([...requests(before), stage, ...requests(after)]),
  request: (stage: Partial<Phases> | undefined, before: Inserted, after: Inserted): Partial<Phases> => ({
    request: sequence([...requests(before), stage?.request, ...requests(after)]),
  }),
  reply: (stage: Partial<Phases> | undefined, before: Inserted, after: Inserted): Partial<Phases> => ({
    reply: sequence([...requests(before), stage?.reply, ...requests(after)]),
  }),
  both: (stage: Partial<Phases> | undefined, before: Inserted, after: Inserted): Partial<Phases> => ({
    ...some('request', [...requests(before), stage?.request, ...requests(after)]),
    ...some('reply', [...replies(before), stage?.reply, ...replies(after)]),
  }),
  around:
    (stage: ((inner: Operator) => Operator) | undefined, before: Inserted, after: Inserted) =>
    (inner: Operator): Operator => {
      const within = sequence([...requests(after), inner])
      return sequence([...requests(before), stage ? stage(within) : within])
    },
}

const some = (phase: keyof Phases, stages: readonly (Operator | undefined)[]): Partial<Phases> =>
  stages.some((stage) => stage !== undefined) ? { [phase]: sequence(stages) } : {}
