import { exactlyOne, type Properties, record, ref, type SchemaNode } from './builders.ts'
import { simpleReference } from './references.ts'

/** The fields that address the service of a policy, among the policy's own. */
export const policyBackendFields: Properties = {
  ...simpleReference,
  policies: ref('SimpleBackendPolicies', 'Policies for requests to the service.'),
}

/** Requires exactly one address of the service. */
export const onePolicyBackend: SchemaNode = exactlyOne(...Object.keys(simpleReference))

const simpleBackendPolicies = record('Policies for the requests of the gateway to the service of a policy.', {
  requestHeaderModifier: ref('HeaderModifier', 'Modifies headers of requests to the service.'),
  backendTLS: ref('UpstreamTls'),
  http: ref('UpstreamHttp'),
  tcp: ref('UpstreamTcp'),
  backendAuth: ref(
    'BackendAuth',
    'How the gateway authenticates to the service. Not supported for token endpoints.',
  ),
  transformations: ref(
    'Transformations',
    'Modifies requests to the service and its responses by expressions. For gRPC only request metadata. Not supported for token endpoints.',
  ),
  backendTunnel: ref('BackendTunnel'),
})

/** Definitions of services of policies. */
export const policyBackendDefinitions: Properties = { SimpleBackendPolicies: simpleBackendPolicies }
