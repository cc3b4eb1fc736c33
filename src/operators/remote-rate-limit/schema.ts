import { cel, listOf, type Properties, record, ref, text, words } from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import { onePolicyBackend, policyBackendFields } from '../../config/schema/policy-backend.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** A limit that several gateways share: a service counts for all of them. */
export interface RemoteRateLimit {
  readonly service: PolicyBackend
  /** Keeps the counts of one configuration apart from those of others. */
  readonly domain: string
  readonly descriptors: readonly RateLimitDescriptor[]
  readonly failureMode: 'failClosed' | 'failOpen'
}

/** What is counted together. */
export interface RateLimitDescriptor {
  readonly entries: readonly (readonly [key: string, value: Cel])[]
  /** One a request, or the tokens of language models. */
  readonly type: 'requests' | 'tokens'
  /** How much a request counts; without it 1, or the tokens that it used. */
  readonly cost?: Cel
  /** `{unit, requestsPerUnit}` in place of the service's own limit. */
  readonly limitOverride?: Cel
}

const some = { minLength: 1 }

const entry = record(
  'One part of what requests have in common.',
  {
    key: text('Its name.', some),
    value: cel('Gives its value. Where it fails, the descriptor is left out.'),
  },
  { required: ['key', 'value'] },
)

const descriptor = record(
  'What is counted together: requests of which all entries have the same values.',
  {
    entries: listOf(ref('RateLimitEntry'), 'The entries, in order.', { minItems: 1 }),
    type: words(
      'What is counted: requests, or the tokens of language models, which are reported when it is known how many were used.',
      ['requests', 'tokens'],
      'requests',
    ),
    cost: cel(
      'Gives how much a request counts. Default, and where it fails: 1, or the tokens that were used. For tokens it is evaluated after the answer, and `llm` holds what was used.',
    ),
    limitOverride: cel(
      "Gives another limit than the service's own, as a map of `unit` (`second` to `year`) and `requestsPerUnit`.",
    ),
  },
  { required: ['entries'] },
)

const remoteRateLimit = record(
  'Limits the rate of requests over all gateways that ask the same service, by `envoy.service.ratelimit.v3.RateLimitService`.',
  {
    ...policyBackendFields,
    domain: text('Keeps these counts apart from those of others.', some),
    descriptors: listOf(ref('RateLimitDescriptor'), 'What is counted.', { minItems: 1 }),
    failureMode: words(
      'What happens if the service cannot be asked: 500 `rate limit failed`, or requests pass uncounted.',
      ['failClosed', 'failOpen'],
      'failClosed',
    ),
  },
  { required: ['domain', 'descriptors'], ...onePolicyBackend },
)

/** Definitions about limits that are shared. */
export const remoteRateLimitDefinitions: Properties = {
  RateLimitEntry: entry,
  RateLimitDescriptor: descriptor,
  ...conditionalDefinitions('RemoteRateLimit', remoteRateLimit),
}
