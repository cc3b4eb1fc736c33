import { laterPolicies } from './later-policies.ts'
import { exactlyOne, notYet, record, ref } from './kinds.ts'
import type { Properties, Schema } from './kinds.ts'
import { simpleReference } from './references.ts'

/** The fields that say where the service of a policy is; they stand among the policy's own. */
export const policyBackendFields: Properties = {
  ...simpleReference,
  policies: ref('SimpleBackendPolicies', 'How the service is called.'),
}

/** Says that the service has exactly one address. */
export const onePolicyBackend: Schema = exactlyOne(...Object.keys(simpleReference))

const simpleBackendPolicies = record('How the service of a policy is called.', {
  requestHeaderModifier: ref('HeaderModifier', 'Changes headers of the requests to it.'),
  backendTLS: ref('UpstreamTls'),
  http: ref('UpstreamHttp'),
  tcp: ref('UpstreamTcp'),
  transformations: notYet({ description: 'Changes requests to it, and its answers, by expressions.' }),
  ...laterPolicies('backendAuth', 'backendTunnel'),
})

/** Definitions about services of policies. */
export const policyBackendDefinitions: Properties = { SimpleBackendPolicies: simpleBackendPolicies }
