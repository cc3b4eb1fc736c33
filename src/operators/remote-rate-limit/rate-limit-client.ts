import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { RateLimitService } from '../../protocols/grpc/rate-limit.gen.ts'
import type { GrpcService } from '../../upstream/grpc/grpc-client.ts'
import { Uncallable } from '../callout/uncallable.ts'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { UnwritableHeader } from '../headers/unwritable-header.ts'
import { applied } from '../trace-policy.ts'
import { callFailed } from './refusals.ts'
import { amendment, type LimitRequest } from './request.ts'
import { type Limited, limitedOf } from './response.ts'
import type { RateLimitCalls } from './token-reservation.ts'

/** How the service is called, and what happens if it fails. */
export interface RateLimitClientOptions {
  readonly service: GrpcService
  readonly timeoutMs: number
  /** Bounds the number of concurrent calls. */
  readonly concurrencyLimit: ConcurrencyLimit
  readonly domain: string
  readonly failureMode: 'failClosed' | 'failOpen'
}

/** The client of a rate limit service. */
export class RateLimitClient {
  readonly #options: RateLimitClientOptions
  readonly #onDecision: (x: Exchange, decision: Limited) => Verdict

  /** @param onDecision Applies a decision of the service, and returns the verdict. */
  constructor(options: RateLimitClientOptions, onDecision: (x: Exchange, decision: Limited) => Verdict) {
    this.#options = options
    this.#onDecision = onDecision
  }

  /** Counts a request. The verdict is a refusal if the limit is exceeded, or if a failed call refuses. */
  count(x: Exchange, message: LimitRequest): Verdict | Promise<Verdict> {
    const { service, timeoutMs, concurrencyLimit } = this.#options
    const call = concurrencyLimit.run(() =>
      service.unary(RateLimitService.method.shouldRateLimit, message, {
        timeoutMs,
        about: x,
        signal: x.signal,
      }),
    )
    if (!call) return this.#failed(x, 'rate_limit_busy', 'too many wait already')
    return call.then(
      (response) => this.#onDecision(x, limitedOf(response)),
      (error: unknown) => {
        if (!(error instanceof Fault) || error instanceof UnwritableHeader) throw error
        if (error instanceof Uncallable) {
          traceFailure(x, error.message)
          return callFailed('rate_limit_unaskable')
        }
        const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
        return this.#failed(x, 'rate_limit_failed', error.message + cause)
      },
    )
  }

  /** The calls that count the tokens of one exchange. */
  callsFor(x: Exchange): RateLimitCalls {
    const { service, timeoutMs, domain } = this.#options
    return {
      reserve: async (hits) => (await this.count(x, amendment(domain, hits))) ?? undefined,
      report: (hits) => {
        // The client may have disconnected: used tokens count all the same.
        service
          .unary(RateLimitService.method.shouldRateLimit, amendment(domain, hits), { timeoutMs, about: x })
          .catch((error: unknown) => {
            if (!(error instanceof Fault)) throw error
            x.probe?.record(applied('remote_rate_limit', `could not be told: ${error.message}`))
          })
      },
    }
  }

  #failed(x: Exchange, code: string, why: string): Verdict {
    traceFailure(x, why)
    return this.#options.failureMode === 'failOpen' ? undefined : callFailed(code)
  }
}

const traceFailure = (x: Exchange, why: string): void => {
  x.probe?.record(applied('remote_rate_limit', `could not be asked: ${why}`))
}
