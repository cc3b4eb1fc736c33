import { routeGroupParent } from '../../../config/xds/xds-resource.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ParentReference } from '../../kinds/http-route.ts'
import { tooLargeGroupsOf, tooManyRules } from '../delegation/delegated-routes.ts'
import { type DelegationVerdict, delegationVerdicts } from '../delegation/delegation-verdicts.ts'
import type { ConvertedRule } from '../rule/converted-rule.ts'
import type { ReferenceProblem } from '../rule/rule-context.ts'
import { routeRules } from '../rule/route-rules.ts'
import {
  observedConditions,
  type ObservedCondition,
  type StatusCondition,
} from '../status/status-condition.ts'
import { authenticationConflicts } from './authentication-conflicts.ts'
import type { RouteParentVerdict } from './route-candidates.ts'
import { parseRouteId, routeId, type RouteObjectKind } from './route-id.ts'
import { statusParentRef } from './route-indexes.ts'
import { routeParents } from './route-parents.ts'
import { rulesLostToModels } from '../model/root-conflicts.ts'
import { notCompared, shadowedRules } from './shadowed-rules.ts'

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
    const parents: readonly ParentVerdict[] = [
      ...reads.query(routeParents, id),
      ...(kind === 'HTTPRoute' ? reads.query(delegationVerdicts, key) : []),
    ].sort((a, b) => a.index - b.index)
    if (!route || parents.length === 0) return undefined
    const rules = reads.query(routeRules, id)
    const { namespace = '', generation } = route.metadata
    return {
      parents: parents.map((parent) => ({
        parentRef: statusParentRef(route.spec.parentRefs?.[parent.index], namespace),
        controllerName: reads.settings.controllerName,
        conditions: observedConditions(
          [
            accepted(parent, rules),
            ...partiallyInvalid(parent, rules),
            resolvedRefs([
              ...rules.flatMap(({ referenceProblems }) => referenceProblems),
              ...lostRefs(reads, id, parent),
              ...emptyGroups(reads, id, parent),
              ...differingAuthentication(reads, id),
            ]),
            ...shadowed(reads, id, parentsIn(parent)),
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

/** The verdict on a parentRef, to a Gateway or a ListenerSet, or to an HTTPRoute. */
type ParentVerdict = RouteParentVerdict | DelegationVerdict

/** What a route is in by a parentRef, at which Gateways: listeners, or route groups. */
const parentsIn = (
  parent: ParentVerdict,
): { readonly gateways: readonly string[]; readonly keys: ReadonlySet<string> } =>
  'gateway' in parent
    ? { gateways: [parent.gateway], keys: new Set(parent.listeners.map(({ key }) => key)) }
    : { gateways: parent.gateways, keys: new Set(parent.groups.map(routeGroupParent)) }

/** Whether a route has a rule that can be served, or no rules; by its id. A route without is not accepted. */
export const isRouteServed: Query<boolean> = defineQuery('isRouteServed', (reads, route) =>
  hasServedRule(reads.query(routeRules, route)),
)

const hasServedRule = (rules: readonly ConvertedRule[]): boolean =>
  rules.length === 0 || rules.some(({ problems }) => problems.length === 0)

const accepted = ({ denial }: ParentVerdict, rules: readonly ConvertedRule[]): StatusCondition => {
  if (denial) return { type: 'Accepted', status: 'False', ...denial }
  const [problem] = rules.flatMap(({ problems }) => problems)
  if (problem && !hasServedRule(rules))
    return { type: 'Accepted', status: 'False', reason: problem.reason, message: ruleProblems(rules) }
  return { type: 'Accepted', status: 'True', reason: 'Accepted', message: 'Route is accepted' }
}

/** Set only while some rules are served and others are not. */
const partiallyInvalid = (
  { denial }: ParentVerdict,
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

/** The groups that it delegates to and that are too large. */
const emptyGroups = (
  reads: GraphReads,
  route: string,
  parent: ParentVerdict,
): readonly ReferenceProblem[] => {
  const { kind, key } = parseRouteId(route)
  if (kind !== 'HTTPRoute') return []
  const groups = parentsIn(parent).gateways.flatMap(
    (gateway) => reads.query(tooLargeGroupsOf, gateway).get(key) ?? [],
  )
  return groups.length === 0 ? [] : [{ reason: 'UnsupportedValue', message: tooManyRules(groups) }]
}

/** Rules that lose against the models of a listener of the parent. */
const lostRefs = (reads: GraphReads, route: string, parent: ParentVerdict): readonly Problem[] => {
  const { gateways, keys } = parentsIn(parent)
  return gateways
    .flatMap((gateway) => rulesLostToModels(reads, gateway, route))
    .filter(({ listenerKey }) => keys.has(listenerKey))
    .map(({ index, by }) => ({
      reason: 'ModelRoutingConflict',
      message: `Rule ${index}: ${by} precedes it: the models of the listener serve its root path`,
    }))
}

/** Rules that proxies reply 403 to: one would need different tokens. */
const differingAuthentication = (reads: GraphReads, route: string): readonly Problem[] =>
  reads.query(authenticationConflicts, route).map(({ rule, groups }) => {
    const texts = groups.map(({ backends, hasAuthentication }, i) => {
      const one = i === 0 ? 'one' : 'another'
      return `${hasAuthentication ? one : 'none'}: ${backends.join(' and ')}`
    })
    return {
      reason: 'MCPAuthenticationConflict',
      message: `Rule ${rule}: its requests get 403, since its backends must have the same MCP authentication; ${texts.join(', ')}`,
    }
  })

interface Problem {
  readonly reason: string
  readonly message: string
}

const resolvedRefs = (problems: readonly Problem[]): StatusCondition => {
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
  { gateways, keys }: ReturnType<typeof parentsIn>,
): readonly StatusCondition[] => {
  const compared = gateways.map((gateway) => reads.query(shadowedRules, gateway))
  const own = compared
    .flatMap(({ rules }) => rules[route] ?? [])
    .filter(({ parents }) => parents.some((key) => keys.has(key)))
  if (own.length === 0 && compared.some(({ unknown }) => unknown.has(route)))
    return [
      {
        type: 'agentgateway.dev/Shadowed',
        status: 'Unknown',
        reason: 'TooManyMatches',
        message: notCompared,
      },
    ]
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
