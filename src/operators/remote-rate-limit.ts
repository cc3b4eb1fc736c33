import { BufferBody } from '../model/body.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import { tighter } from '../model/quota.ts'
import { deny, type Reply } from '../model/reply.ts'
import { TokenQuota } from '../model/token-quota.ts'
import { onReply, onRequest, type Verdict } from '../pipeline/stage.ts'
import { isGrpc } from '../protocols/grpc/status.ts'
import { RateLimitService } from '../protocols/grpc/rate-limit.gen.ts'
import type { GrpcService } from '../upstream/grpc.ts'
import { bodiesReadBy, holding } from './body/hold.ts'
import { dropForgedTrailers } from './ext-authz/drop-forged.ts'
import { applyFieldChanges, type FieldChange } from './field-change.ts'
import { tellQuota } from './limit/tell-quota.ts'
import type { Phases } from './phases.ts'
import { applied, skipped } from './policy-note.ts'
import {
  amendment,
  type Counted,
  describe,
  type LimitRequest,
  limitRequest,
} from './remote-rate-limit/limit-request.ts'
import { type Limited, limitedOf } from './remote-rate-limit/limit-response.ts'
import { type Counter, ServiceTokens } from './remote-rate-limit/service-tokens.ts'
import { Unaskable } from './service/unaskable.ts'
import type { Turnstile } from './turnstile.ts'

/** Who counts, and what. */
export interface LimitRateRemotelyOptions {
  readonly service: GrpcService
  readonly timeoutMs: number
  /** Bounds how many may wait for the service. */
  readonly turnstile: Turnstile
  readonly domain: string
  readonly descriptors: readonly Counted[]
  readonly failureMode: 'failClosed' | 'failOpen'
  /** How much of a request body expressions may read; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
}

/**
 * Answers 429 `rate limit exceeded` once a service that counts for several gateways says so, or whatever words that
 * service has for it. Answers to those who pass tell how they stand, in `x-ratelimit-*`.
 *
 * If the service cannot be asked in time, or too many wait for it already, `failClosed` answers 500 `rate limit failed`,
 * and `failOpen` lets the request pass uncounted. A request of which no descriptor can be evaluated passes uncounted.
 *
 * Tokens of language models are counted when it is known how many were used, or before where prompts are counted here;
 * whoever comes when they are used up is refused.
 *
 * Belongs after the checks of identity and rules: whom nobody let in uses up nobody's share.
 */
export const limitRateRemotely = (options: LimitRateRemotelyOptions): Phases => {
  const { service, timeoutMs, domain, descriptors } = options
  const used = descriptors.flatMap(({ entries, cost, limitOverride }) => [
    ...entries.map(([, value]) => value),
    cost,
    limitOverride,
  ])
  /** Fields for the answers. */
  const pending = new WeakMap<Exchange, readonly FieldChange[]>()

  const count = (x: Exchange): Verdict | Promise<Verdict> => {
    const described = describe(x, descriptors)
    const message = limitRequest(x, domain, described)
    if (!message) {
      x.probe?.note(skipped('remote_rate_limit', 'no descriptor could be evaluated'))
      return undefined
    }
    const ofTokens = described.filter(({ counted }) => counted.counts === 'tokens')
    if (ofTokens.length)
      (x.tokenQuota ??= new TokenQuota()).add(new ServiceTokens(x, ofTokens, counterFor(x)))
    return ask(x, message)
  }

  const ask = (x: Exchange, message: LimitRequest): Verdict | Promise<Verdict> => {
    const pass = options.turnstile.pass(() =>
      service.unary(RateLimitService.method.shouldRateLimit, message, {
        timeoutMs,
        about: x,
        signal: x.signal,
      }),
    )
    if (!pass) return failed(x, 'rate_limit_busy', 'too many wait already')
    return pass.then(
      (answer) => settle(x, limitedOf(answer)),
      (error: unknown) => {
        if (!(error instanceof Fault)) throw error
        if (error instanceof Unaskable) return refused(x, 'rate_limit_unaskable', error.message)
        const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
        return failed(x, 'rate_limit_failed', error.message + cause)
      },
    )
  }

  const counterFor = (x: Exchange): Counter => ({
    async ask(hits) {
      return (await ask(x, amendment(domain, hits))) ?? undefined
    },
    tell(hits) {
      // The client may have left: what was used counts all the same.
      service
        .unary(RateLimitService.method.shouldRateLimit, amendment(domain, hits), { timeoutMs, about: x })
        .catch((error: unknown) => {
          if (!(error instanceof Fault)) throw error
          x.probe?.note(applied('remote_rate_limit', `could not be told: ${error.message}`))
        })
    },
  })

  const settle = (x: Exchange, limited: Limited): Verdict => {
    x.probe?.note(applied('remote_rate_limit', limited.isOver ? 'over the limit' : 'within the limit'))
    if (limited.quota) x.quota = tighter(x.quota, limited.quota)
    if (limited.replyFields.length) pending.set(x, limited.replyFields)
    if (limited.isOver) return refusal(x, limited)
    applyFieldChanges(x.request.headers, limited.requestFields)
    dropForgedTrailers(
      x.request,
      limited.requestFields.map(({ name }) => name),
    )
    return undefined
  }

  const failed = (x: Exchange, code: string, why: string): Verdict => {
    x.probe?.note(applied('remote_rate_limit', `could not be asked: ${why}`))
    return options.failureMode === 'failOpen' ? undefined : unanswered(code)
  }

  const refused = (x: Exchange, code: string, why: string): Verdict => {
    x.probe?.note(applied('remote_rate_limit', `could not be asked: ${why}`))
    return unanswered(code)
  }

  return {
    request: onRequest(
      'remote-rate-limit',
      holding({ ...bodiesReadBy(used), reply: false }, options.bufferLimitBytes, count),
    ),
    reply: onReply('remote-rate-limit-reply', (x) => {
      tellQuota(x)
      const changes = pending.get(x)
      if (changes && x.reply) applyFieldChanges(x.reply.headers, changes)
    }),
  }
}

const unanswered = (code: string): Reply =>
  deny(500, code, { message: 'rate limit failed', reason: 'RateLimit' })

const refusal = (x: Exchange, { body, quota }: Limited): Reply => {
  const headers: Record<string, string> =
    quota && quota.resetSeconds > 0 ? { 'retry-after': String(quota.resetSeconds) } : {}
  const reply = deny(429, 'rate_limited', { message: MESSAGE, headers })
  if (body.length === 0) return reply
  reply.body = new BufferBody(body)
  // Those who speak gRPC get the words as a field, everybody else as they are.
  reply.error = isGrpc(x.request.headers.get('content-type'))
    ? body.toString('utf8', 0, MESSAGE_BYTES)
    : undefined
  return reply
}

const MESSAGE = 'rate limit exceeded'
/** What of a service's own words fits into a header field. */
const MESSAGE_BYTES = 1024
