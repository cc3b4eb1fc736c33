import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { tighter } from '../../model/exchange/rate-limit-quota.ts'
import { TokenQuota } from '../../model/exchange/token-limit.ts'
import { onReply, onRequest, type Verdict } from '../../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { dropForgedTrailers } from '../ext-authz/strip-spoofed-headers.ts'
import { applyFieldChanges, type FieldChange } from '../headers/header-mutation.ts'
import { setRateLimitHeaders } from '../local-rate-limit/rate-limit-headers.ts'
import type { Phases } from '../phases.ts'
import { applied, skipped } from '../trace-policy.ts'
import { RateLimitClient, type RateLimitClientOptions } from './rate-limit-client.ts'
import { overLimitReply } from './refusals.ts'
import { type Counted, describeLimit, limitRequest } from './request.ts'
import type { Limited } from './response.ts'
import { ServiceTokens } from './token-reservation.ts'

/** The rate limit service, and what it counts. */
export interface RemoteRateLimitOptions extends RateLimitClientOptions {
  readonly descriptors: readonly Counted[]
  /** Longest request body that expressions may read, in bytes; a longer one is refused with 413. 2 MiB by default. */
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Refuses with 429 `rate limit exceeded`, or with the service's own text, when a service that counts for several
 * gateways reports an exceeded limit. Replies to requests that pass report the remaining quota in `x-ratelimit-*`.
 *
 * If the service does not respond in time, or too many calls are pending, `failClosed` replies with 500 `rate limit
 * failed`, and `failOpen` lets the request pass uncounted. A request of which no descriptor can be evaluated passes
 * uncounted.
 *
 * Tokens of language models are counted when their number is known, or in advance where the gateway counts the tokens
 * of prompts; requests are refused once they are exhausted.
 *
 * Belongs after authentication and rules, so that refused requests use up no quota.
 */
export const remoteRateLimit = (options: RemoteRateLimitOptions): Phases => {
  const { domain, descriptors, bufferLimitBytes = DEFAULT_BUFFER_BYTES } = options
  /** Fields for the replies. */
  const pending = new WeakMap<Exchange, readonly FieldChange[]>()
  const client = new RateLimitClient(options, (x, decision) => {
    if (decision.replyFields.length) pending.set(x, decision.replyFields)
    return apply(x, decision)
  })

  const count = (x: Exchange): Verdict | Promise<Verdict> => {
    const described = describeLimit(x, descriptors)
    const message = limitRequest(x, domain, described)
    if (!message) {
      x.probe?.record(skipped('remote_rate_limit', 'no descriptor could be evaluated'))
      return undefined
    }
    const ofTokens = described.filter(({ counted }) => counted.counts === 'tokens')
    if (ofTokens.length)
      (x.policy.tokenQuota ??= new TokenQuota()).add(new ServiceTokens(x, ofTokens, client.callsFor(x)))
    return client.count(x, message)
  }

  const bodies = { ...bodiesReadBy(descriptors.flatMap(expressionsOf)), reply: false }
  return {
    request: onRequest('remote-rate-limit', withBufferedBodies(bodies, bufferLimitBytes, count)),
    reply: onReply('remote-rate-limit-reply', (x) => {
      setRateLimitHeaders(x)
      const changes = pending.get(x)
      if (changes && x.reply) applyFieldChanges(x.reply.headers, changes)
    }),
  }
}

const apply = (x: Exchange, decision: Limited): Verdict => {
  const { isOver, quota, requestFields } = decision
  x.probe?.record(applied('remote_rate_limit', isOver ? 'over the limit' : 'within the limit'))
  if (quota) x.policy.quota = tighter(x.policy.quota, quota)
  if (isOver) return overLimitReply(x, decision)
  applyFieldChanges(x.request.headers, requestFields)
  dropForgedTrailers(
    x.request,
    requestFields.map(({ name }) => name),
  )
  return undefined
}

const expressionsOf = ({ entries, cost, limitOverride }: Counted) => [
  ...entries.map(([, value]) => value),
  cost,
  limitOverride,
]
