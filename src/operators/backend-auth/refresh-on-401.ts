import { concat, defer, EMPTY, mergeMap, of, takeWhile, tap } from 'rxjs'
import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import type { Reply } from '../../model/reply.ts'
import type { Operator } from '../../pipeline/stage.ts'
import { replayable } from '../body/replayable-request.ts'
import type { UpstreamCredential } from './authenticate-upstream.ts'

/**
 * Runs `inner`, and runs it a second time with another token if the upstream says that the one it got is not valid (401
 * with `invalid_token`, RFC 6750 §3.1): it may have been revoked before its time. What the upstream says then, the client
 * gets, and also where the request cannot be sent twice.
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
          // All of them are told, whether or not it helps this request.
          const renewed = credentials.filter((credential) => credential.refused?.(came)).length > 0
          again = renewed && !came.committed && request?.isReplayable === true
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
        x.probe?.note({
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
  status === 401 && reason === 'Upstream' && saysInvalidToken(headers)

/** Whether an answer says that the token of its question is not valid. */
export const saysInvalidToken = (headers: Headers): boolean =>
  headers.all('www-authenticate').some((challenge) => INVALID_TOKEN.test(challenge))

const INVALID_TOKEN = /error="?invalid_token\b/
