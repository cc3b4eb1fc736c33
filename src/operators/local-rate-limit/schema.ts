import { defaults } from '../defaults.ts'
import { conditionalDefinitions } from './conditional.ts'
import { duration, listOf, ours, record, ref, whole, words } from './kinds.ts'
import type { Properties } from './kinds.ts'

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
