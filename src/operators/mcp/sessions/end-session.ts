import { map, Observable, of, timeout } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Federation } from '../federation/federation.ts'
import type { McpSession } from './session.ts'

/**
 * Ends a session and its sessions with servers. Emits the HTTP status for the client: the server's if it is the only
 * one and returns 204, else 200, since the session is over in any case. Clients take any other status for a session
 * that continues.
 */
export const endSession = (session: McpSession, federation: Federation, x: Exchange): Observable<number> => {
  const contextOf = (name: string) => federation.target(name)?.requestContext(x)
  const [server] = session.servers
  if (federation.targets.length > 1 || server?.sessionId === undefined) {
    session.close(contextOf)
    return of(ENDED)
  }
  return new Observable<number | undefined>((out) => {
    session.close(contextOf, (status) => {
      out.next(status)
      out.complete()
    })
  }).pipe(
    timeout({ first: END_TIMEOUT_MS, with: () => of(undefined) }),
    map((status) => (status === ENDED_WITHOUT_WORDS ? status : ENDED)),
  )
}

const ENDED = 200
const ENDED_WITHOUT_WORDS = 204

/** A slower server got the request all the same. */
const END_TIMEOUT_MS = 5_000
