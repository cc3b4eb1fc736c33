import type * as File from '../../../config/schema/file-types.gen.ts'
import { xdsName } from '../../../config/xds/xds-resource.ts'
import type { HTTPRoute, HTTPRouteRule } from '../../kinds/http-route.ts'
import { objectKey } from '../../kinds/object.ts'
import type { RuleContext } from '../rule/rule-context.ts'
import { hasModels } from './has-models.ts'
import { isModelReference, modelRuleKey, modelRuleProblem } from './model-rules.ts'

/**
 * The backend of a rule that the models of its route serve; undefined if it refers to no models. If they cannot serve it,
 * the reason is recorded, and it replies 500.
 */
export const modelBackend = (
  route: HTTPRoute,
  rule: HTTPRouteRule,
  index: number,
  { reads, referenceProblems }: RuleContext,
): File.RouteBackend | undefined => {
  if (!hasModels(reads) || !(rule.backendRefs ?? []).some(isModelReference)) return undefined
  const problem = modelRuleProblem(route, rule)
  if (problem === undefined)
    return { backend: xdsName({ kind: 'models', key: modelRuleKey(objectKey(route), index) }) }
  referenceProblems.push({ reason: 'InvalidKind', message: problem })
  return { invalid: null }
}

/** Models see the paths of their formats: without the prefix that the rule matches. */
export const modelPaths = (backends: readonly File.RouteBackend[]): Pick<File.RoutePolicies, 'urlRewrite'> =>
  // Keys of ProxyBackends have no second slash.
  backends.some(({ backend }) => backend?.startsWith('models/HTTPRoute/') === true)
    ? { urlRewrite: { authority: 'none', path: { prefix: '/' } } }
    : {}
