import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import type { ProxyModel } from '../../kinds/custom-resources.ts'
import type { ParentReference } from '../../kinds/http-route.ts'
import { attempt } from '../attempt.ts'
import { isReferenceGranted } from '../grants/reference-grants.ts'
import { delegationOf } from '../delegation/delegated-routes.ts'
import { candidate, gatewayOf, routeCandidates } from '../route/route-candidates.ts'
import { routeId } from '../route/route-id.ts'
import { parentValue } from '../route/route-indexes.ts'
import { modelRuleKey, modelRules } from './model-rules.ts'

/** What became of one parentRef of a model. */
export interface ModelParentVerdict {
  /** Position among the parentRefs. */
  readonly index: number
  /** `Gateway/namespace/name`, also for a ListenerSet of it, or `HTTPRoute/namespace/name`. */
  readonly owner: string
  /** Where the model is accepted. */
  readonly sections: readonly ParentSection[]
  /** Present if it is accepted nowhere. */
  readonly denial: ModelDenial | undefined
}

/** A listener, or a rule of a route: what `sectionName` of a parentRef names. */
export interface ParentSection {
  /** The key of their resource. */
  readonly key: string
  /** Whether it has a resource itself. */
  readonly isServed: boolean
}

/** Why a parent does not accept a model. */
export interface ModelDenial {
  readonly reason: string
  readonly message: string
}

/** The parents of a model that are ours, and what would accept it there if there were no other models. */
export const modelCandidates: Query<readonly ModelParentVerdict[]> = defineQuery(
  'modelCandidates',
  (reads, key) => {
    const model = reads.object('ProxyModel', key)
    return (model?.spec.parentRefs ?? []).flatMap((reference, index) => {
      const verdict = attempt(() => model && parentVerdict(reads, model, reference, index)).value
      return verdict ? [verdict] : []
    })
  },
)

const parentVerdict = (
  reads: GraphReads,
  model: ProxyModel,
  reference: ParentReference,
  index: number,
): ModelParentVerdict | undefined => {
  const { metadata } = model
  const parent = parentValue(reference, metadata.namespace)
  if (parent.startsWith(HTTP_ROUTE))
    return routeVerdict(reads, model, reference, index, parent.slice(HTTP_ROUTE.length))
  const gateway = gatewayOf(reads, reference, metadata.namespace)
  if (gateway === undefined) return undefined
  const verdict = candidate(reads, 'ProxyModel', { metadata, spec: {} }, reference, index, gateway)
  return { index, owner: `Gateway/${gateway}`, sections: verdict.listeners, denial: verdict.denial }
}

const HTTP_ROUTE = 'HTTPRoute/'

/** A route has models of other namespaces if it allows that: a model gets the prompts of its clients. */
const routeVerdict = (
  reads: GraphReads,
  { metadata }: ProxyModel,
  { sectionName, port }: ParentReference,
  index: number,
  route: string,
): ModelParentVerdict | undefined => {
  const id = routeId('HTTPRoute', route)
  const isOurs = reads.query(routeCandidates, id).length > 0 || reads.query(delegationOf, id) !== undefined
  if (!isOurs) return undefined
  const owner = `${HTTP_ROUTE}${route}`
  const denied = (reason: string, message: string): ModelParentVerdict => ({
    index,
    owner,
    sections: [],
    denial: { reason, message },
  })
  const [namespace = '', name = ''] = route.split('/')
  const from = { group: 'agentgateway.dev', kind: 'ProxyModel', namespace: metadata.namespace ?? '' }
  const to = { group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', namespace, name }
  if (!isReferenceGranted(reads, from, to))
    return denied('RefNotPermitted', `No ReferenceGrant allows models of namespace ${from.namespace}`)
  const rules = reads
    .query(modelRules, route)
    .filter((rule) => port === undefined && (sectionName === undefined || rule.name === sectionName))
  return rules.length === 0
    ? denied('NoMatchingParent', 'The route has no such rule with the backend * of kind ProxyModel')
    : {
        index,
        owner,
        sections: rules.map((rule) => ({ key: modelRuleKey(route, rule.index), isServed: true })),
        denial: undefined,
      }
}
