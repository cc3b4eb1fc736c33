import { defaults } from '../../config/defaults.ts'
import {
  duration,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  whole,
  words,
} from '../../config/schema/builders.ts'
import { conditionalDefinitions } from '../../config/schema/conditional.ts'
import type { Cel } from '../../model/resources/policies.ts'

/** A bucket for requests, or for tokens of language models. Full at start. */
export interface LocalLimit {
  readonly maxTokens: number
  /** Added at the end of each interval, up to the capacity. */
  readonly tokensPerFill: number
  readonly fillIntervalMs: number
  readonly type: 'requests' | 'tokens'
}

/** Limits of this process: all of them apply, or the first whose condition is true. */
export type LocalRateLimit = LocalRateLimitOwner &
  (
    | { readonly limits: readonly LocalLimit[] }
    | { readonly conditional: readonly (LocalLimit & { readonly condition?: Cel })[] }
  )

interface LocalRateLimitOwner {
  /** Identifies the policy in the configuration: it has the same buckets wherever it applies. */
  readonly instance: string
}

const limit = record(
  'A token bucket, full at start. Buckets are local to the process: two processes with the same configuration allow twice the rate.',
  {
    maxTokens: whole(
      'Capacity of the bucket: the maximum burst.',
      0,
      undefined,
      defaults.localLimit.maxTokens,
    ),
    tokensPerFill: whole(
      'Tokens added after each interval.',
      0,
      undefined,
      defaults.localLimit.tokensPerFill,
    ),
    fillInterval: duration('Interval between refills.'),
    type: words(
      'What the bucket counts: requests, or tokens of language models as reported by their providers. The tokens of a response are deducted when the usage is known, so the bucket can become negative; requests are refused until it is positive again.',
      ['requests', 'tokens'],
      'requests',
    ),
    scope: ours(
      words(
        'Scope of the bucket: `local` is this process. `global` is not supported; use `remoteRateLimit`.',
        ['local', 'global'],
        'local',
      ),
    ),
  },
  { required: ['fillInterval'] },
)

const { ConditionalLocalLimit: _, ...definitions } = conditionalDefinitions('LocalLimit', limit)

/** Definitions of local limits. */
export const localRateLimitDefinitions: Properties = {
  ...definitions,
  LocalRateLimit: {
    description:
      'Replies 429 `rate limit exceeded` if one of the buckets is empty. The policy has one set of buckets wherever it applies; a reload that does not change the policy keeps them.',
    if: { type: 'object', required: ['conditional'] },
    then: ref('LocalLimitChoice'),
    else: listOf(ref('LocalLimit'), 'Token buckets. Every request is deducted from all of them.'),
  },
}
