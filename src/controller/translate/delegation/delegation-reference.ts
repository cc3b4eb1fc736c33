import type * as File from '../../../config/schema/file-types.gen.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import type { HTTPBackendRef } from '../../kinds/http-route.ts'
import { namespacedKey } from '../../kinds/object.ts'
import { addUnsupported, type ReferenceProblem, type RuleContext } from '../rule/rule-context.ts'
import { delegationGrant, hasChildren, isRuleNamed, namespacesOf } from './group-children.ts'
import {
  isHttpRouteReference,
  isRouteName,
  isSelector,
  parseRouteGroupName,
  routeGroupName,
} from './route-group.ts'

/** Whether a backend of a rule is other routes. Only HTTPRoutes delegate, to HTTPRoutes. */
export const isDelegation = (reference: HTTPBackendRef, { kind }: Pick<RuleContext, 'kind'>): boolean =>
  kind === 'HTTPRoute' && isHttpRouteReference(reference)

/** The rule that delegates, by the name of its route and its own. */
export interface DelegatingRule {
  readonly routeName: string
  readonly ruleName: string | undefined
}

/**
 * The route group that a reference leads to. A group without children has a problem and is kept: it replies 404, as any
 * path that no child has. One that cannot select anything replies 500. Rules that no child names share a group.
 */
export const delegationReference = (
  { namespace, name: selector, filters = [] }: HTTPBackendRef,
  { routeName, ruleName }: DelegatingRule,
  context: RuleContext,
): Pick<File.RouteBackend, 'routeGroup'> | undefined => {
  const { reads, groups, referenceProblems } = context
  if (filters.length > 0)
    addUnsupported(context, 'filters of a reference to HTTPRoutes are not supported: set them on the rule')
  if (!isSelector(selector)) {
    const message = `"${selector}" is no name of an HTTPRoute, no label=value, and not *`
    referenceProblems.push({ reason: 'UnsupportedValue', message })
    return undefined
  }
  const group = {
    source: namespacedKey(context.namespace, routeName),
    namespace: namespace ?? context.namespace,
    selector,
  }
  const ofRule = ruleName === undefined ? undefined : routeGroupName({ ...group, rule: ruleName })
  const name = ofRule !== undefined && reads.query(isRuleNamed, ofRule) ? ofRule : routeGroupName(group)
  const problem = reads.query(groupProblem, name)
  if (problem) referenceProblems.push(problem)
  groups.add(name)
  return { routeGroup: name }
}

/**
 * Why a group has no children, by its name; undefined if it has some, or if those of a label or a namespace may still
 * come. Without a grant, it does not reveal what is in another namespace.
 */
const groupProblem: Query<ReferenceProblem | undefined> = defineQuery('groupProblem', (reads, name) => {
  if (reads.query(hasChildren, name)) return undefined
  const reference = parseRouteGroupName(name)
  const { namespace, selector } = reference
  const granted = reads.query(delegationGrant, namespacesOf(reference))
  if (granted !== 'all' && !granted.has(selector))
    return {
      reason: 'RefNotPermitted',
      message: `No ReferenceGrant allows the reference to HTTPRoute ${namespace}/${selector}`,
    }
  return isRouteName(selector)
    ? {
        reason: 'BackendNotFound',
        message: `HTTPRoute ${namespace}/${selector} was not found, or has other parents`,
      }
    : undefined
})
