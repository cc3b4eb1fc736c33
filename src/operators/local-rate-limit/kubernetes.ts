import type * as File from '../../config/schema/file-types.gen.ts'
import { type FormOf, requiredField } from '../../controller/schema/field.ts'
import { objectField } from '../../controller/schema/object-fields.ts'
import { enumField, integerField } from '../../controller/schema/scalar-fields.ts'
import { exactlyOneOf } from '../../controller/schema/validation-rule.ts'

const MAX = 2 ** 31 - 1

/** An entry of `rateLimit.local` of the traffic of a ProxyPolicy. */
export const localRateLimitField = objectField(
  'A limit of each proxy.',
  {
    requests: integerField('Requests in a unit of time.', { minimum: 1, maximum: MAX }),
    tokens: integerField('Tokens of language models in a unit of time.', { minimum: 1, maximum: MAX }),
    unit: requiredField(enumField('Unit of time.', ['Seconds', 'Minutes', 'Hours'])),
    burst: integerField('How many more may come at once.', { minimum: 0, maximum: MAX }),
  },
  { rules: [exactlyOneOf('requests', 'tokens')] },
)

/** What an entry of `rateLimit.local` holds. */
export type LocalRateLimitForm = FormOf<typeof localRateLimitField>

/** A token bucket of a file, which begins full. */
export const localLimitOf = ({ requests, tokens, unit, burst = 0 }: LocalRateLimitForm): File.LocalLimit => {
  const perUnit = requests ?? tokens ?? 1
  return {
    maxTokens: Math.min(perUnit + burst, MAX),
    tokensPerFill: perUnit,
    fillInterval: intervals[unit],
    type: requests === undefined ? 'tokens' : 'requests',
  }
}

const intervals = { Seconds: '1s', Minutes: '1m', Hours: '1h' } as const
