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

/** A bucket that requests, or the tokens that language models count, are taken from. It begins full. */
export interface LocalLimit {
  readonly maxTokens: number
  /** Put in at the end of each interval, as far as there is room. */
  readonly tokensPerFill: number
  readonly fillIntervalMs: number
  readonly type: 'requests' | 'tokens'
}

/** Limits of this process alone: all of them hold, or the first whose condition does. */
export type LocalRateLimit = LocalRateLimitOwner &
  (
    | { readonly limits: readonly LocalLimit[] }
    | { readonly conditional: readonly (LocalLimit & { readonly condition?: Cel })[] }
  )

interface LocalRateLimitOwner {
  /** Which policy of the configuration it is: wherever that one applies, the same buckets are meant. */
  readonly instance: string
}

const limit = record(
  'A bucket, full at first, that requests are taken from. Its scope is this process: two processes with the same configuration let through twice as much.',
  {
    maxTokens: whole(
      'How much fits into the bucket: the largest burst.',
      0,
      undefined,
      defaults.localLimit.maxTokens,
    ),
    tokensPerFill: whole(
      'How much is put in after each interval.',
      0,
      undefined,
      defaults.localLimit.tokensPerFill,
    ),
    fillInterval: duration('The interval.'),
    type: words(
      'What is counted: requests, or the tokens of language models, as their providers count them. Of tokens, what an answer used is taken when that is known, so that there may be less than nothing left; who comes then is refused.',
      ['requests', 'tokens'],
      'requests',
    ),
    scope: ours(
      words(
        'Who shares the bucket: `local` is this process. `global` would be all processes, which takes a store that they share: see `remoteRateLimit`.',
        ['local', 'global'],
        'local',
      ),
    ),
  },
  { required: ['fillInterval'] },
)

const { ConditionalLocalLimit: _, ...definitions } = conditionalDefinitions('LocalLimit', limit)

/** Definitions about limits of this process. */
export const localRateLimitDefinitions: Properties = {
  ...definitions,
  LocalRateLimit: {
    description:
      'Answers 429 `rate limit exceeded` where one of its buckets is empty. Wherever the policy applies, the same buckets are meant; they outlast a change of the configuration that leaves them as they are.',
    if: { type: 'object', required: ['conditional'] },
    then: ref('LocalLimitChoice'),
    else: listOf(ref('LocalLimit'), 'Buckets, from each of which every request is taken.'),
  },
}
