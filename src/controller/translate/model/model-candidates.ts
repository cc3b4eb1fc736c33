import { defineQuery, type Query } from '../../graph/query.ts'
import { attempt } from '../attempt.ts'
import { candidate, gatewayOf, type RouteParentVerdict } from '../route/route-candidates.ts'

/** What became of one parentRef of a model. */
export type ModelParentVerdict = Omit<RouteParentVerdict, 'denial'> & {
  /** Present if the parent does not accept it. */
  readonly denial: { readonly reason: string; readonly message: string } | undefined
}

/** The parents of a model that are ours, and the listeners that would accept it if there were no other models. */
export const modelCandidates: Query<readonly ModelParentVerdict[]> = defineQuery(
  'modelCandidates',
  (reads, key) => {
    const model = reads.object('ProxyModel', key)
    if (!model) return []
    const { metadata, spec } = model
    return (spec.parentRefs ?? []).flatMap((reference, index) => {
      const verdict = attempt(() => {
        const gateway = gatewayOf(reads, reference, metadata.namespace)
        return gateway === undefined
          ? undefined
          : candidate(reads, 'ProxyModel', { metadata, spec: {} }, reference, index, gateway)
      }).value
      return verdict ? [verdict] : []
    })
  },
)
