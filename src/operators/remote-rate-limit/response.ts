import { type Quota, tighter } from '../../model/quota.ts'
import type { HeaderValue } from '../../protocols/grpc/core.gen.ts'
import {
  type RateLimitResponse,
  type RateLimitResponse_DescriptorStatus,
  RateLimitResponse_Code,
} from '../../protocols/grpc/rate-limit.gen.ts'
import { type FieldChange, fieldChange } from '../field-change.ts'

/** What a limiting service said. */
export interface Limited {
  readonly isOver: boolean
  readonly quota: Quota | undefined
  /** For the request, in place of what the client sent under these names. */
  readonly requestFields: readonly FieldChange[]
  /** For the answer, whoever gives it. */
  readonly replyFields: readonly FieldChange[]
  /** The service's own words for a refusal; empty leaves them to us. */
  readonly body: Buffer
}

/** Reads an answer of Envoy's `RateLimitService`. Anything but a clear yes is a no. */
export const limitedOf = (answer: RateLimitResponse): Limited => ({
  isOver: answer.overallCode !== RateLimitResponse_Code.OK,
  requestFields: fieldsOf(answer.requestHeadersToAdd),
  quota: quotaOf(answer.statuses),
  replyFields: fieldsOf(answer.responseHeadersToAdd),
  body: Buffer.from(answer.rawBody),
})

/** The first of a name replaces what there is, more of them add up. */
const fieldsOf = (headers: readonly HeaderValue[]): FieldChange[] => {
  const seen = new Set<string>()
  return headers.flatMap(({ key, value, rawValue }) => {
    const name = key.toLowerCase()
    const action = seen.has(name) || name === 'set-cookie' ? 'append' : 'set'
    seen.add(name)
    return fieldChange(name, rawValue.length ? Buffer.from(rawValue).toString('latin1') : value, action) ?? []
  })
}

/** How the caller stands with the limit that has least left. */
const quotaOf = (statuses: readonly RateLimitResponse_DescriptorStatus[]): Quota | undefined => {
  let tightest: Quota | undefined
  for (const { currentLimit, limitRemaining, durationUntilReset } of statuses) {
    if (!currentLimit) continue
    const resetSeconds = Number(durationUntilReset?.seconds ?? 0n)
    tightest = tighter(tightest, {
      limit: currentLimit.requestsPerUnit,
      remaining: limitRemaining,
      resetSeconds,
    })
  }
  return tightest
}
