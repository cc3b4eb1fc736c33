import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { deny, Reply } from '../../model/exchange/reply.ts'
import type { Verdict } from '../../pipeline/stage.ts'
import { isGrpc } from '../../protocols/grpc/status.ts'
import { Uncallable } from '../callout/uncallable.ts'
import type { ConcurrencyLimit } from '../concurrency-limit.ts'
import { applyFieldChanges } from '../headers/header-mutation.ts'
import { isEditable } from '../headers/protected-headers.ts'
import { editQuery } from '../headers/query-parameters.ts'
import { UnwritableHeader } from '../headers/unwritable-header.ts'
import { applied } from '../trace-policy.ts'
import type { Allowed, AuthzClient, CheckResult, Denied } from './check-result.ts'
import type { CachedDecision, DecisionCache } from './decision-cache.ts'
import { stripSpoofedFields, dropForgedTrailers } from './strip-spoofed-headers.ts'
import { withRequestBody, type WithRequestBodyOptions } from './with-request-body.ts'

/** How requests are checked. */
export interface CheckOptions {
  readonly decide: AuthzClient
  /** Bounds the number of concurrent checks. */
  readonly concurrencyLimit: ConcurrencyLimit
  readonly failureMode: 'allow' | { readonly denyWithStatus: number }
  /** Fields that the service sets: the client's own are removed. Lower-case. */
  readonly resultHeaders: readonly string[]
  /** Undefined sends no body. */
  readonly body: WithRequestBodyOptions | undefined
  readonly cache: DecisionCache | undefined
}

/** Checks requests with a service, or with its cached decisions, and applies the results. */
export class RequestChecks {
  readonly #options: CheckOptions
  readonly #onAllow: (x: Exchange, result: Allowed) => void

  /** @param onAllow Called for each request that the service allowed. */
  constructor(options: CheckOptions, onAllow: (x: Exchange, result: Allowed) => void) {
    this.#options = options
    this.#onAllow = onAllow
  }

  /** Synchronous if there is a cached decision. */
  check(x: Exchange): Verdict | Promise<Verdict> {
    const cache = this.#options.cache
    const key = cache?.keyOf(x)
    const cached = key === undefined ? undefined : cache?.find(key)
    return cached && !cache?.needsRefresh(cached)
      ? this.#apply(x, cached.result)
      : this.#checkOrRefresh(x, key, cached)
  }

  async #checkOrRefresh(x: Exchange, key: string | undefined, cached?: CachedDecision): Promise<Verdict> {
    if (cached) cached.isRefreshing = true
    try {
      return await this.#callService(x, key, cached)
    } finally {
      if (cached) cached.isRefreshing = false
    }
  }

  async #callService(x: Exchange, key: string | undefined, cached?: CachedDecision): Promise<Verdict> {
    const { body, concurrencyLimit, decide, cache } = this.#options
    // A body that is too long is no failure of the service.
    const seen = body && (await withRequestBody(x.request, body))
    if (seen && 'refusal' in seen) return seen.refusal
    try {
      const call = concurrencyLimit.run(() => decide(x, seen?.part))
      if (!call)
        return cached
          ? this.#apply(x, cached.result)
          : this.#failed(x, 'ext_authz_busy', 'too many wait already')
      const result = await call
      const verdict = this.#apply(x, result)
      if (key !== undefined) cache?.keep(key, result, x)
      return verdict
    } catch (error) {
      if (!(error instanceof Fault) || error instanceof UnwritableHeader) throw error
      if (error.code === 'ext_authz_unaskable' || error instanceof Uncallable)
        return this.#notPossible(x, error.message)
      if (cached) return this.#apply(x, cached.result)
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
      return this.#failed(x, 'ext_authz_failed', error.message + cause)
    }
  }

  #apply(x: Exchange, result: CheckResult): Verdict {
    if (result.metadata) x.policy.extAuthz = { ...x.policy.extAuthz, ...result.metadata }
    if (!result.allowed) {
      x.probe?.record(applied('ext_authz', `refused with status ${result.status}`))
      return deniedReply(x, result)
    }
    changeRequest(x, result, this.#options.resultHeaders)
    this.#onAllow(x, result)
    x.probe?.record(applied('ext_authz', 'allowed'))
    return undefined
  }

  /** Refuses even where failures allow requests: such a request must not bypass the service. */
  #notPossible(x: Exchange, why: string): Verdict {
    const { failureMode } = this.#options
    x.probe?.record(applied('ext_authz', `refused: ${why}`))
    return localRefusal(failureMode === 'allow' ? 403 : failureMode.denyWithStatus, 'ext_authz_unaskable')
  }

  #failed(x: Exchange, code: string, why: string): Verdict {
    const { failureMode, resultHeaders } = this.#options
    x.probe?.record(applied('ext_authz', `could not be asked: ${why}`))
    if (failureMode !== 'allow') return localRefusal(failureMode.denyWithStatus, code)
    stripSpoofedFields(x.request, resultHeaders)
    return undefined
  }
}

/** Applies the changes of a service that allowed a request. */
const changeRequest = (
  { request }: Exchange,
  { removed, fields, query }: Allowed,
  resultHeaders: readonly string[],
): void => {
  stripSpoofedFields(request, resultHeaders)
  dropForgedTrailers(
    request,
    fields.map(({ name }) => name),
  )
  for (const name of removed) if (isEditable(name)) request.headers.delete(name)
  applyFieldChanges(request.headers, fields)
  request.query = editQuery(request.query, query.set, query.removed)
}

/** The reply to a request that the service refused: with the service's own text if it has one. */
const deniedReply = (x: Exchange, { status, headers, body }: Denied): Reply => {
  if (!body) return localRefusal(status, 'ext_authz_denied')
  // Cached replies are sent more than once, and stages may change each.
  const fields = headers.clone()
  if (body.length && !fields.has('content-type')) fields.append('content-type', 'text/plain')
  const reply = new Reply(status, fields, body.length ? new BufferBody(body) : emptyBody, 'ExtAuth')
  reply.code = 'ext_authz_denied'
  // gRPC clients do not read bodies: the text goes into `grpc-message`.
  if (isGrpc(x.request.headers.get('content-type')))
    reply.error = body.toString('utf8', 0, MESSAGE_BYTES) || MESSAGE
  return reply
}

/** A refusal with the gateway's own text. */
const localRefusal = (status: number, code: string): Reply =>
  deny(status, code, {
    message: MESSAGE,
    reason: 'ExtAuth',
    ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
  })

const MESSAGE = 'external authorization failed'
/** Maximum length of a service's text in a header field, in bytes. */
const MESSAGE_BYTES = 1024
