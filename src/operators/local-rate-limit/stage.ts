import type { LocalLimit, LocalRateLimit } from './schema.ts'
import { conditional } from '../conditional.ts'
import { TokenBucket } from './token-bucket.ts'
import { localRateLimit } from './local-rate-limit.ts'
import type { Phases } from '../phases.ts'
import type { CompileContext } from '../../config/compile/compile-context.ts'

/** Compiles local limits, or several of which the first whose condition is true applies; undefined without limits. */
export const limitStages = (
  policy: LocalRateLimit,
  { session, expression, resources }: CompileContext,
): Phases | undefined => {
  const { maxBufferBytes } = resources.frontend.http
  // An unchanged limit keeps its buckets, a changed one begins full.
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
  return conditional(choices, maxBufferBytes, true)
}

const stages = (limits: readonly [LocalLimit['type'], TokenBucket][]): Phases => {
  const of = (type: LocalLimit['type']): TokenBucket[] =>
    limits.flatMap(([counted, bucket]) => (counted === type ? [bucket] : []))
  return localRateLimit(of('requests'), of('tokens'))
}
