import { defineQuery, type Query } from '../../graph/query.ts'
import type { HTTPRoute, HTTPRouteRule } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import type { BackendObjectReference } from '../backend/reference-problem.ts'
import { hasModels } from './has-models.ts'

/** A rule of an HTTPRoute that the models of the route serve. */
export interface ModelRule {
  readonly index: number
  readonly name: string | undefined
  /** Whether it takes all requests of its host names, as models at a listener do. */
  readonly isRoot: boolean
}

/** The rules of an HTTPRoute that models serve, by its key. */
export const modelRules: Query<readonly ModelRule[]> = defineQuery('modelRules', (reads, key) => {
  const route = reads.object('HTTPRoute', key)
  if (!route || !hasModels(reads)) return []
  const outcome = attempt(() =>
    (route.spec.rules ?? []).flatMap(
      (rule, index) => attempt(() => modelRule(route, rule, index)).value ?? [],
    ),
  )
  return outcome.value ?? []
})

const modelRule = (route: HTTPRoute, rule: HTTPRouteRule, index: number): readonly ModelRule[] =>
  (rule.backendRefs ?? []).some(isModelReference) && modelRuleProblem(route, rule) === undefined
    ? [{ index, name: rule.name, isRoot: isRoot(rule) }]
    : []

const isRoot = ({ matches = [] }: HTTPRouteRule): boolean =>
  matches.length === 0 ||
  matches.some(
    ({ path, headers = [], queryParams = [], method }) =>
      (path?.value ?? '/') === '/' &&
      headers.length === 0 &&
      queryParams.length === 0 &&
      method === undefined,
  )

/** Whether a reference is to models. */
export const isModelReference = ({ group, kind }: BackendObjectReference): boolean =>
  group === 'agentgateway.dev' && kind === 'ProxyModel'

/** Why the models of a route cannot serve a rule that refers to them. */
export const modelRuleProblem = (
  { metadata }: HTTPRoute,
  { backendRefs = [], filters = [], matches = [] }: HTTPRouteRule,
): string | undefined => {
  const [reference] = backendRefs
  if (!reference || backendRefs.length > 1) return 'A rule with ProxyModel has no other backend'
  const { name, namespace = metadata.namespace, port, weight = 1, filters: own = [] } = reference
  if (name !== '*') return 'The name of a backend of kind ProxyModel is *: the models of the route serve it'
  if (namespace !== metadata.namespace) return 'Models serve routes by their parentRefs, not by a namespace'
  if (port !== undefined || weight !== 1 || own.length > 0)
    return 'A backend of kind ProxyModel has no port, weight or filters'
  if (filters.some(({ type }) => type === 'URLRewrite' || type === 'RequestRedirect'))
    return 'A rule with ProxyModel has no URLRewrite and no RequestRedirect'
  return matches.some(({ path }) => (path?.type ?? 'PathPrefix') !== 'PathPrefix')
    ? 'A rule with ProxyModel matches paths by PathPrefix only'
    : undefined
}

/** The key of the models of a rule. */
export const modelRuleKey = (route: string, index: number): string =>
  `HTTPRoute/${route}/${String(index).padStart(2, '0')}`
