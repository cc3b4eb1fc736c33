import { BufferBody, emptyBody } from '../model/body.ts'
import type { Exchange } from '../model/exchange.ts'
import { Fault } from '../model/fault.ts'
import { deny, Reply } from '../model/reply.ts'
import { onReply, onRequest, type Verdict } from '../pipeline/stage.ts'
import { isGrpc } from '../protocols/grpc/status.ts'
import type { Held } from './body/hold.ts'
import { holding } from './body/hold.ts'
import { editQuery } from './edit-query.ts'
import { isEditable } from './editable-field.ts'
import { dropForged, dropForgedTrailers } from './ext-authz/drop-forged.ts'
import type { Decider, Denied, Judgement } from './ext-authz/judgement.ts'
import type { Remembered, RememberedJudgement } from './ext-authz/remembered.ts'
import { showBody, type ShowBodyOptions } from './ext-authz/show-body.ts'
import { applyFieldChanges, type FieldChange } from './field-change.ts'
import type { Phases } from './phases.ts'
import { applied } from './policy-note.ts'
import { Unaskable } from './service/unaskable.ts'
import type { Turnstile } from './turnstile.ts'

/** Who decides, and what happens if they cannot. */
export interface AuthorizeExternallyOptions {
  readonly decide: Decider
  /** Bounds how many may wait for the decider. */
  readonly turnstile: Turnstile
  readonly failureMode: 'allow' | { readonly denyWithStatus: number }
  /** Fields that the decider sets: the client's own go no further. Lower-case. */
  readonly resultHeaders: readonly string[]
  /** Undefined shows no body. */
  readonly body: ShowBodyOptions | undefined
  readonly remembered: Remembered | undefined
  /** Bodies that the expressions about the question read, and how much of them. */
  readonly held: Held
  readonly bufferLimitBytes: number
}

/**
 * Lets a service decide who may pass. It may change headers and query of the request, add headers to its answer, and
 * leave values for later expressions; what it refuses, it may answer in its own words, or else with 403 `external
 * authorization failed`.
 *
 * If the service is away, says nothing in time, or too many wait for it already, `failureMode` decides. A request about
 * which it cannot be asked, because an expression of the question fails, is refused in any case.
 *
 * What the client sent under the names of `resultHeaders` is taken out of every request that passes, in whatever way it
 * passes: nobody may send what the service is trusted to say. The service itself does see it.
 *
 * Belongs after everything that proves who is calling, and before the rules.
 */
export const authorizeExternally = (options: AuthorizeExternallyOptions): Phases => {
  const { remembered, held, bufferLimitBytes } = options
  /** Fields for the answers of those that passed. */
  const pending = new WeakMap<Exchange, readonly FieldChange[]>()

  const settle = (x: Exchange, judgement: Judgement): Verdict => {
    if (judgement.metadata) x.extauthz = { ...x.extauthz, ...judgement.metadata }
    if (!judgement.allowed) {
      x.probe?.note(applied('ext_authz', `refused with status ${judgement.status}`))
      return refusal(x, judgement)
    }
    changeRequest(x, judgement, options.resultHeaders)
    if (judgement.replyFields.length) pending.set(x, judgement.replyFields)
    x.probe?.note(applied('ext_authz', 'allowed'))
    return undefined
  }

  const ask = async (x: Exchange, key: string | undefined, known?: RememberedJudgement): Promise<Verdict> => {
    if (known) known.isAskedAgain = true
    try {
      return await askOnce(x, key, known)
    } finally {
      if (known) known.isAskedAgain = false
    }
  }

  const askOnce = async (
    x: Exchange,
    key: string | undefined,
    known?: RememberedJudgement,
  ): Promise<Verdict> => {
    // What is wrong with the body is no failure of the service.
    const seen = options.body && (await showBody(x.request, options.body))
    if (seen && 'refusal' in seen) return seen.refusal
    try {
      const pass = options.turnstile.pass(() => options.decide(x, seen?.shown))
      if (!pass)
        return known ? settle(x, known.judgement) : failed(x, 'ext_authz_busy', 'too many wait already')
      const judgement = await pass
      const verdict = settle(x, judgement)
      if (key !== undefined) remembered?.keep(key, judgement, x)
      return verdict
    } catch (error) {
      if (!(error instanceof Fault)) throw error
      if (error.code === 'ext_authz_unaskable' || error instanceof Unaskable) return unasked(x, error.message)
      if (known) return settle(x, known.judgement)
      const cause = error.cause instanceof Error ? `: ${error.cause.message}` : ''
      return failed(x, 'ext_authz_failed', error.message + cause)
    }
  }

  const unasked = (x: Exchange, why: string): Reply => {
    const { failureMode } = options
    x.probe?.note(applied('ext_authz', `refused: ${why}`))
    return inOurWords(failureMode === 'allow' ? 403 : failureMode.denyWithStatus, 'ext_authz_unaskable')
  }

  const failed = (x: Exchange, code: string, why: string): Verdict => {
    const { failureMode, resultHeaders } = options
    x.probe?.note(applied('ext_authz', `could not be asked: ${why}`))
    if (failureMode !== 'allow') return inOurWords(failureMode.denyWithStatus, code)
    dropForged(x.request, resultHeaders)
    return undefined
  }

  return {
    request: onRequest(
      'ext-authz',
      holding({ request: held.request, reply: false }, bufferLimitBytes, (x) => {
        const key = remembered?.keyOf(x)
        const known = key === undefined ? undefined : remembered?.find(key)
        return known && !remembered?.isDue(known) ? settle(x, known.judgement) : ask(x, key, known)
      }),
    ),
    reply: onReply('ext-authz-reply', (x) => {
      const changes = pending.get(x)
      if (changes && x.reply) applyFieldChanges(x.reply.headers, changes)
    }),
  }
}

const changeRequest = (
  { request }: Exchange,
  { removed, fields, query }: Extract<Judgement, { allowed: true }>,
  resultHeaders: readonly string[],
): void => {
  dropForged(request, resultHeaders)
  dropForgedTrailers(
    request,
    fields.map(({ name }) => name),
  )
  for (const name of removed) if (isEditable(name)) request.headers.delete(name)
  applyFieldChanges(request.headers, fields)
  request.query = editQuery(request.query, query.set, query.removed)
}

const refusal = (x: Exchange, { status, headers, body }: Denied): Reply => {
  if (!body) return inOurWords(status, 'ext_authz_denied')
  // Remembered answers are given more than once, and stages may change each.
  const fields = headers.clone()
  if (body.length && !fields.has('content-type')) fields.append('content-type', 'text/plain')
  const reply = new Reply(status, fields, body.length ? new BufferBody(body) : emptyBody, 'ExtAuth')
  reply.code = 'ext_authz_denied'
  // Those who speak gRPC read no pages: the words go where they look for them.
  if (isGrpc(x.request.headers.get('content-type')))
    reply.error = body.toString('utf8', 0, MESSAGE_BYTES) || MESSAGE
  return reply
}

const MESSAGE = 'external authorization failed'
/** What of a service's own words fits into a header field. */
const MESSAGE_BYTES = 1024

const inOurWords = (status: number, code: string): Reply =>
  deny(status, code, {
    message: MESSAGE,
    reason: 'ExtAuth',
    ...(status === 401 ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
  })
