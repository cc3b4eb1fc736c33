import { ours, type Properties, record, ref, words } from '../../config/schema/builders.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'

/** Endpoint picking: a service chooses the endpoint of each request. */
export interface InferenceRouting {
  readonly endpointPicker: PolicyBackend
  /** Whether only endpoints of the backend may be chosen, or any address. */
  readonly destinationMode: 'validated' | 'passthrough'
  /** What happens if the picker cannot be reached. */
  readonly failureMode: 'failClosed' | 'failOpen'
}

const endpointPicker = record(
  'An endpoint picker: a gRPC service that implements `envoy.service.ext_proc.v3.ExternalProcessor` and the endpoint picker protocol of the Gateway API inference extension.',
  { ...policyBackendFields, policies: ours(policyBackendFields.policies ?? {}) },
  onePolicyBackend,
)

const inferenceRouting = record(
  'A service chooses the endpoint of each request to this backend. Backends without endpoints of their own (`dynamic`, `mcp`, `ai`, internal ones) reply 503; services of language model providers may have it.',
  {
    endpointPicker: ref('EndpointPicker', 'The service that chooses.'),
    destinationMode: words(
      'Which endpoints the picker may choose. `validated`: those of the backend, on any port of a service. `passthrough`: any IP address and port.',
      ['validated', 'passthrough'],
      'validated',
    ),
    failureMode: ours(
      words(
        'What happens if the picker cannot be reached, or chooses nothing. `failClosed`: the request is refused with 503. `failOpen`: the gateway chooses an endpoint of the backend. A choice that is not valid is refused in both modes.',
        ['failClosed', 'failOpen'],
        'failClosed',
      ),
    ),
  },
  { required: ['endpointPicker'] },
)

/** Definitions of `inferenceRouting`. */
export const inferenceRoutingDefinitions: Properties = {
  EndpointPicker: endpointPicker,
  InferenceRouting: inferenceRouting,
}
