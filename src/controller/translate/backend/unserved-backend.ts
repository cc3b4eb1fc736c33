import type * as File from '../../../config/schema/file-types.gen.ts'
import { unservedBackend } from '../../../config/validate.ts'
import { defineQuery, type Query } from '../../graph/query.ts'
import { gatewayReach, gatewaysReaching } from '../policy/gateway-reach.ts'
import { policiesByTarget } from '../policy/policy-targets.ts'
import { translatedBackend } from './translated-backend.ts'

/**
 * Why a ProxyBackend of language models refuses every request: its providers do not have the format that requests are
 * taken for. A file with such a backend is refused. Not reported where a ProxyPolicy has the formats of requests: that
 * depends on the route. Key: that of the backend.
 */
export const unservedBackendProblem: Query<string | undefined> = defineQuery(
  'unservedBackendProblem',
  (reads, key) => {
    const model = reads.query(translatedBackend, key)?.resource?.model
    const problem = model && unservedBackend(model as File.NamedBackend)
    if (problem === undefined) return undefined
    const id = `ProxyBackend/${key}`
    const isTabled =
      reads.query(hasRequestTypes, id) ||
      reads.query(gatewaysReaching, id).some((gateway) => reads.query(hasRequestTypesAtGateway, gateway))
    return isTabled ? undefined : `ai: ${problem}; policies.ai.routes says which requests have another format`
  },
)

/** Whether a ProxyPolicy of a target, `kind/namespace/name`, has a table of request types. */
const hasRequestTypes: Query<boolean> = defineQuery('hasRequestTypes', (reads, id) =>
  (reads.query(policiesByTarget, '').get(id) ?? []).some((policy) => {
    const ai = reads.object('ProxyPolicy', policy)?.spec.backend?.ai
    return typeof ai === 'object' && ai !== null && 'routes' in ai
  }),
)

/** Whether any of what a Gateway reaches has one. Key: that of the Gateway. */
const hasRequestTypesAtGateway: Query<boolean> = defineQuery('hasRequestTypesAtGateway', (reads, gateway) =>
  (reads.tryQuery(gatewayReach, gateway) ?? []).some((id) => reads.query(hasRequestTypes, id)),
)
