import { cel, listOf, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** A limit that several gateways share: a service counts for all of them. */
export interface RemoteRateLimit {
  readonly service: PolicyBackend
  /** Namespace of the counters in the service. */
  readonly domain: string
  readonly descriptors: readonly RateLimitDescriptor[]
  readonly failureMode: 'failClosed' | 'failOpen'
}

/** A descriptor. */
export interface RateLimitDescriptor {
  readonly entries: readonly (readonly [key: string, value: Cel])[]
  /** Counts requests, or tokens of language models. */
  readonly type: 'requests' | 'tokens'
  /** The cost of a request. Default: 1, or the tokens that it used. */
  readonly cost?: Cel
  /** `{unit, requestsPerUnit}`, overriding the service's limit. */
  readonly limitOverride?: Cel
}

const some = { minLength: 1 }

const entry = record(
  'An entry of a descriptor.',
  {
    key: text('Key of the entry.', some),
    value: cel('Expression that returns the value. If it fails, the descriptor is omitted.'),
  },
  { required: ['key', 'value'] },
)

const descriptor = record(
  'A descriptor. Requests with the same entry values share a counter.',
  {
    entries: listOf(ref('RateLimitEntry'), 'Entries, in order.', { minItems: 1 }),
    type: words(
      'What is counted: requests, or tokens of language models, reported when the usage is known.',
      ['requests', 'tokens'],
      'requests',
    ),
    cost: cel(
      'Expression that returns the cost of a request. Default, and if it fails: 1, or the tokens used. For `tokens` it is evaluated after the response and can read the usage from `llm`.',
    ),
    limitOverride: cel(
      'Expression that overrides the limit of the service, as a map of `unit` (`second` to `year`) and `requestsPerUnit`.',
    ),
  },
  { required: ['entries'] },
)

const remoteRateLimit = record(
  'Rate limit shared by all gateways that use the same service (`envoy.service.ratelimit.v3.RateLimitService`).',
  {
    ...policyBackendFields,
    domain: text('Domain: the namespace of the counters in the service.', some),
    descriptors: listOf(ref('RateLimitDescriptor'), 'Descriptors.', { minItems: 1 }),
    failureMode: words(
      'What happens if the service fails. `failClosed`: 500 `rate limit failed`. `failOpen`: requests pass uncounted.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
  },
  { required: ['domain', 'descriptors'], ...onePolicyBackend },
)

/** Definitions of shared limits. */
export const remoteRateLimitDefinitions: Properties = {
  RateLimitEntry: entry,
  RateLimitDescriptor: descriptor,
  ...conditionalDefinitions('RemoteRateLimit', remoteRateLimit),
}
