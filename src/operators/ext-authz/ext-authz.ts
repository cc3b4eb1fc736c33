import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { onReply, onRequest } from '../../pipeline/stage.ts'
import { type BufferedBodies, withBufferedBodies } from '../body/buffer-body.ts'
import { applyFieldChanges, type FieldChange } from '../headers/header-mutation.ts'
import type { Phases } from '../phases.ts'
import { type CheckOptions, RequestChecks } from './request-checks.ts'

/** The authorization service, and what happens if it fails. */
export interface ExtAuthzOptions extends CheckOptions {
  /** Bodies that the expressions for the check request read, and how much of them. */
  readonly held: BufferedBodies
  readonly bufferLimitBytes?: number | undefined
}

/**
 * Has a service decide which requests pass. It may change headers and query of the request, add headers to the reply,
 * and set values for later expressions. Refused requests get the service's own reply, or else 403 `external
 * authorization failed`.
 *
 * `failureMode` decides if the service is unreachable, does not respond in time, or too many checks are pending. A
 * request that cannot be checked, because an expression of the check request fails, is refused in any case.
 *
 * Fields with the names of `resultHeaders` are removed from every request that passes, for whatever reason it passes:
 * clients must not send what upstreams trust the service to set. The service itself does see them.
 *
 * Belongs after everything that authenticates the caller, and before the rules.
 */
export const extAuthz = (options: ExtAuthzOptions): Phases => {
  const { held, bufferLimitBytes = DEFAULT_BUFFER_BYTES } = options
  /** Fields for the replies to allowed requests. */
  const pending = new WeakMap<Exchange, readonly FieldChange[]>()
  const checks = new RequestChecks(options, (x, { replyFields }) => {
    if (replyFields.length) pending.set(x, replyFields)
  })
  return {
    request: onRequest(
      'ext-authz',
      withBufferedBodies({ request: held.request, reply: false }, bufferLimitBytes, (x) => checks.check(x)),
    ),
    reply: onReply('ext-authz-reply', (x) => {
      const changes = pending.get(x)
      if (changes && x.reply) applyFieldChanges(x.reply.headers, changes)
    }),
  }
}
