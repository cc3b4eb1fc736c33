import { exactlyOne, type Properties, record, ref, type SchemaNode } from './builders.ts'
import { simpleReference } from './references.ts'

/** The fields that say where the service of a policy is; they stand among the policy's own. */
export const policyBackendFields: Properties = {
  ...simpleReference,
  policies: ref('SimpleBackendPolicies', 'How the service is called.'),
}

/** Says that the service has exactly one address. */
export const onePolicyBackend: SchemaNode = exactlyOne(...Object.keys(simpleReference))

const simpleBackendPolicies = record('How the service of a policy is called.', {
  requestHeaderModifier: ref('HeaderModifier', 'Changes headers of the requests to it.'),
  backendTLS: ref('UpstreamTls'),
  http: ref('UpstreamHttp'),
  tcp: ref('UpstreamTcp'),
  backendAuth: ref('BackendAuth', 'How the gateway shows the service who it is. Not for token endpoints.'),
  transformations: ref(
    'Transformations',
    'Changes requests to it, and its answers, by expressions. gRPC: metadata of requests only. Not for token endpoints.',
  ),
  backendTunnel: ref('BackendTunnel'),
})

/** Definitions about services of policies. */
export const policyBackendDefinitions: Properties = { SimpleBackendPolicies: simpleBackendPolicies }
