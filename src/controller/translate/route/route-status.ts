import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ParentReference } from '../../kinds/http-route.ts'
import type { ConvertedRule } from '../rule/converted-rule.ts'
import { routeRules } from '../rule/route-rules.ts'
import {
  observedConditions,
  type ObservedCondition,
  type StatusCondition,
} from '../status/status-condition.ts'
import type { RouteParentVerdict } from './route-candidates.ts'
import { parseRouteId, routeId, type RouteObjectKind } from './route-id.ts'
import { routeParents } from './route-parents.ts'
import { rulesLostToModels } from '../model/root-conflicts.ts'
import { shadowedRules } from './shadowed-rules.ts'

/** Our part of `.status` of a route. */
export interface RouteStatus {
  readonly parents: readonly {
    readonly parentRef: ParentReference
    readonly controllerName: string
    readonly conditions: readonly ObservedCondition[]
  }[]
}

const statusOfKind = (kind: RouteObjectKind): Query<RouteStatus | undefined> =>
  defineQuery(`${kind}Status`, (reads, key) => {
    const route = reads.object(kind, key)
    const id = routeId(kind, key)
    const parents = reads.query(routeParents, id)
    if (!route || parents.length === 0) return undefined
    const rules = reads.query(routeRules, id)
    const { namespace = '', generation } = route.metadata
    return {
      parents: parents.map((parent) => ({
        parentRef: {
          group: 'gateway.networking.k8s.io',
          kind: 'Gateway',
          namespace,
          ...route.spec.parentRefs?.[parent.index],
        } as ParentReference,
        controllerName: reads.settings.controllerName,
        conditions: observedConditions(
          [
            accepted(parent, rules),
            ...partiallyInvalid(parent, rules),
            resolvedRefs(rules, lostRefs(reads, id, parent)),
            ...shadowed(reads, id, parent),
          ],
          generation,
        ),
      })),
    }
  })

/** Our part of the status of an HTTPRoute, by its key; undefined if no parent is ours. */
export const httpRouteStatus = statusOfKind('HTTPRoute')

/** The same of a GRPCRoute. */
export const grpcRouteStatus = statusOfKind('GRPCRoute')

/** The same of a TCPRoute. */
export const tcpRouteStatus = statusOfKind('TCPRoute')

/** The same of a TLSRoute. */
export const tlsRouteStatus = statusOfKind('TLSRoute')

/** The same of a UDPRoute. */
export const udpRouteStatus = statusOfKind('UDPRoute')

/** Whether a route has a rule that can be served, or no rules; by its id. A route without is not accepted. */
export const isRouteServed: Query<boolean> = defineQuery('isRouteServed', (reads, route) =>
  hasServedRule(reads.query(routeRules, route)),
)

const hasServedRule = (rules: readonly ConvertedRule[]): boolean =>
  rules.length === 0 || rules.some(({ problems }) => problems.length === 0)

const accepted = ({ denial }: RouteParentVerdict, rules: readonly ConvertedRule[]): StatusCondition => {
  if (denial) return { type: 'Accepted', status: 'False', ...denial }
  const [problem] = rules.flatMap(({ problems }) => problems)
  if (problem && !hasServedRule(rules))
    return { type: 'Accepted', status: 'False', reason: problem.reason, message: ruleProblems(rules) }
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Route is accepted' }
}

/** Set only while some rules are served and others are not. */
const partiallyInvalid = (
  { denial }: RouteParentVerdict,
  rules: readonly ConvertedRule[],
): readonly StatusCondition[] => {
  const invalid = rules.filter(({ problems }) => problems.length > 0)
  if (denial || invalid.length === 0 || invalid.length === rules.length) return []
  return [
    {
      type: 'PartiallyInvalid',
      status: 'True',
      reason: 'UnsupportedValue',
      message: `Dropped Rules: ${ruleProblems(invalid)}`,
    },
  ]
}

const ruleProblems = (rules: readonly ConvertedRule[]): string =>
  rules
    .flatMap(({ index, problems }) => problems.map(({ message }) => `Rule ${index}: ${message}`))
    .join('; ')
    .slice(0, MESSAGE_LIMIT)

/** Rules that lose against the models of a listener of the parent. */
const lostRefs = (
  reads: GraphReads,
  route: string,
  { gateway, listeners }: RouteParentVerdict,
): readonly Problem[] =>
  rulesLostToModels(reads, gateway, route)
    .filter(({ listenerKey }) => listeners.some(({ key }) => key === listenerKey))
    .map(({ index, by }) => ({
      reason: 'ModelRoutingConflict',
      message: `Rule ${index}: ${by} precedes it: the models of the listener serve its root path`,
    }))

interface Problem {
  readonly reason: string
  readonly message: string
}

const resolvedRefs = (rules: readonly ConvertedRule[], lost: readonly Problem[]): StatusCondition => {
  const problems: readonly Problem[] = [
    ...rules.flatMap(({ referenceProblems }) => referenceProblems),
    ...lost,
  ]
  const [first] = problems
  return first
    ? {
        type: 'ResolvedRefs',
        status: 'False',
        reason: first.reason,
        message: [...new Set(problems.map(({ message }) => message))].join('; ').slice(0, MESSAGE_LIMIT),
      }
    : {
        type: 'ResolvedRefs',
        status: 'True',
        reason: 'ResolvedRefs',
        message: 'All references were resolved',
      }
}

const shadowed = (
  reads: GraphReads,
  route: string,
  { gateway, listeners }: RouteParentVerdict,
): readonly StatusCondition[] => {
  const keys = new Set(listeners.map(({ key }) => key))
  const own = reads
    .query(shadowedRules, gateway)
    .filter((one) => one.route === route && keys.has(one.listenerKey))
  if (own.length === 0) return []
  const texts = new Set(own.map(({ rule, by }) => `Rule ${rule} has a match of the older ${shown(by)}`))
  return [
    {
      type: 'agentgateway.dev/Shadowed',
      status: 'True',
      reason: 'DuplicateMatch',
      message: [...texts].join('; ').slice(0, MESSAGE_LIMIT),
    },
  ]
}

const shown = (route: string): string => {
  const { kind, key } = parseRouteId(route)
  return `${kind} ${key}`
}

/** Characters. The API server refuses statuses with longer messages than 32768. */
const MESSAGE_LIMIT = 4096
