import { concat, defer, EMPTY, mergeMap, of, takeWhile, tap } from 'rxjs'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { replayable } from '../body/replayable-request.ts'
import type { UpstreamCredential } from './backend-auth.ts'

/**
 * Runs `inner`, and runs it a second time with new credentials if the upstream rejects the token as invalid (401 with
 * `invalid_token`, RFC 6750 §3.1): it may have been revoked before it expired. The client gets the second response, and
 * the first one where the request cannot be repeated.
 *
 * Goes around everything from the stage that puts the credentials to the call.
 */
export const renewCredentials = (credentials: readonly UpstreamCredential[], inner: Operator): Operator =>
  mergeMap((x: Exchange) => {
    if (x.reply) return of(x)
    const request = replayable(x.request)
    let again = false
    const close = () => request?.close()
    const first$ = inner(of(x)).pipe(
      tap({ error: close }),
      takeWhile((came) => {
        const { reply } = came
        if (reply && isInvalidToken(reply)) {
          // Every credential is notified, whether or not that helps this request.
          const renewed = credentials.filter((credential) => credential.refused?.(came)).length > 0
          again = renewed && !came.downstream.committed && request?.isReplayable === true
        }
        if (again) reply?.body.drop()
        else close()
        return !again
      }),
    )
    return concat(
      first$,
      defer(() => {
        if (!again || !request) return EMPTY
        x.probe?.record({
          type: 'policyEvent',
          kind: 'backend_auth',
          details: 'the token was refused: has another',
        })
        request.restore(x)
        return inner(of(x)).pipe(tap({ next: close, error: close }))
      }),
    )
  })

const isInvalidToken = ({ status, reason, headers }: Reply): boolean =>
  status === 401 && reason === 'Upstream' && isInvalidTokenResponse(headers)

/** Whether a response rejects the token of its request as invalid. */
export const isInvalidTokenResponse = (headers: Headers): boolean =>
  headers.all('www-authenticate').some((challenge) => INVALID_TOKEN.test(challenge))

const INVALID_TOKEN = /error="?invalid_token\b/
