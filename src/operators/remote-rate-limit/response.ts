import { type Quota, tighter } from '../../model/exchange/rate-limit-quota.ts'
import type { HeaderValue } from '../../protocols/grpc/core.gen.ts'
import {
  type RateLimitResponse,
  type RateLimitResponse_DescriptorStatus,
  RateLimitResponse_Code,
} from '../../protocols/grpc/rate-limit.gen.ts'
import { type FieldChange, fieldChange } from '../headers/header-mutation.ts'

/** The decision of a rate limit service. */
export interface Limited {
  readonly isOver: boolean
  readonly quota: Quota | undefined
  /** Fields for the request, which replace the client's own of these names. */
  readonly requestFields: readonly FieldChange[]
  /** Fields for the reply, wherever it comes from. */
  readonly replyFields: readonly FieldChange[]
  /** The service's text for a refusal; empty for the gateway's own. */
  readonly body: Buffer
}

/** Decodes a response of Envoy's `RateLimitService`. Everything but an explicit OK refuses. */
export const limitedOf = (response: RateLimitResponse): Limited => ({
  isOver: response.overallCode !== RateLimitResponse_Code.OK,
  requestFields: fieldsOf(response.requestHeadersToAdd),
  quota: quotaOf(response.statuses),
  replyFields: fieldsOf(response.responseHeadersToAdd),
  body: Buffer.from(response.rawBody),
})

/** The first field of a name replaces the existing ones, further ones are appended. */
const fieldsOf = (headers: readonly HeaderValue[]): FieldChange[] => {
  const seen = new Set<string>()
  return headers.flatMap(({ key, value, rawValue }) => {
    const name = key.toLowerCase()
    const action = seen.has(name) || name === 'set-cookie' ? 'append' : 'set'
    seen.add(name)
    return fieldChange(name, rawValue.length ? Buffer.from(rawValue).toString('latin1') : value, action) ?? []
  })
}

/** The quota of the limit with the least left. */
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
