import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { LocalLimit, LocalRateLimit } from '../../model/rate-limit.ts'
import { choose } from '../../operators/choose.ts'
import { TokenBucket } from '../../operators/limit/token-bucket.ts'
import { limitRate } from '../../operators/limit-rate.ts'
import type { Phases } from '../../operators/phases.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stages of limits of this process, or of the first one whose condition holds; none if there are no limits. */
export const limitStages = (
  policy: LocalRateLimit,
  { http: { maxBufferBytes } }: FrontendPolicies,
  { session, expression }: Workshop,
): Phases | undefined => {
  // A limit that is the same as before keeps what was taken from it, and one that has changed begins full.
  const bucket = (limit: LocalLimit, index: number): [LocalLimit['type'], TokenBucket] => [
    limit.type,
    session.keep(
      `local limit ${JSON.stringify([policy.instance, index, limit])}`,
      () => new TokenBucket(limit, () => performance.now()),
    ),
  ]
  if ('limits' in policy) return policy.limits.length > 0 ? stages(policy.limits.map(bucket)) : undefined
  const choices = policy.conditional.map((limit, index) => ({
    ...stages([bucket(limit, index)]),
    when: limit.condition === undefined ? undefined : expression(limit.condition),
  }))
  return choose(choices, maxBufferBytes, true)
}

const stages = (limits: readonly [LocalLimit['type'], TokenBucket][]): Phases => {
  const of = (type: LocalLimit['type']): TokenBucket[] =>
    limits.flatMap(([counted, bucket]) => (counted === type ? [bucket] : []))
  return limitRate(of('requests'), of('tokens'))
}
