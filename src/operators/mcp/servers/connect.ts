import { catchError, from, map, mergeMap, type Observable, of, tap, throwError, timeout } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import { Fault } from '../../../model/exchange/fault.ts'
import { newestModern } from '../../../protocols/mcp/revisions.ts'
import { ServerRefused } from '../../../upstream/mcp/http-status-error.ts'
import { handshake, type Introduction } from './handshake.ts'
import { ServerErred } from '../response/json-rpc-error.ts'
import { discover } from './discover.ts'
import { ModernAsLegacy } from '../bridge/modern-as-legacy.ts'
import { nameTarget, recordHealth } from '../federation/target-health.ts'
import { traceStep } from '../trace-step.ts'
import type { ServerClient } from './server-client.ts'
import type { Target } from './target.ts'

/**
 * Connects to a server for a client with a handshake. A server that refuses handshakes is discovered; if it speaks a
 * revision without them, a bridge is used.
 */
export const connect = (target: Target, who: Introduction, x: Exchange): Observable<ServerClient> => {
  const { state } = target
  if (state.supports('legacy') === false) return withoutHandshake(target, who, x, noKnownRevision(target))
  const began = x.probe?.now()
  return handshake(target, who, target.requestContext(x)).pipe(
    tap(({ revision }) => {
      state.recordSupport('legacy', true)
      state.setRevision(revision)
      traceStep(x, { step: 'handshake', target: target.name, revision }, began)
    }),
    catchError((fault: unknown) =>
      mayBeModern(fault) ? withoutHandshake(target, who, x, fault) : throwError(() => fault),
    ),
    recordHealth(target),
    nameTarget(target),
  )
}

/**
 * The same for a session under way: sends `notifications/initialized` in place of the client.
 *
 * @param onConnected Called before that: many servers send requests right after it.
 */
export const reconnect = (
  target: Target,
  who: Introduction,
  x: Exchange,
  onConnected: (server: ServerClient) => void = () => undefined,
): Observable<ServerClient> =>
  connect(target, who, x).pipe(
    tap(onConnected),
    mergeMap((server) =>
      from(server.notify({ method: 'notifications/initialized' }, target.requestContext(x))).pipe(
        // It has been sent by then; a server that is slow to accept it, or never does, may serve requests all the same.
        timeout({ first: INITIALIZED_TIMEOUT_MS, with: () => of(undefined) }),
        map(() => server),
        catchError((fault: unknown) => {
          server.close(target.requestContext(x))
          return throwError(() => fault)
        }),
      ),
    ),
  )

const withoutHandshake = (
  target: Target,
  who: Introduction,
  x: Exchange,
  refused: Error,
): Observable<ServerClient> =>
  discover(target, x).pipe(
    map((found) => {
      target.state.recordSupport('modern', found !== undefined)
      if (found === undefined) throw refused
      target.state.recordSupport('legacy', false)
      target.state.setRevision(newestModern)
      return new ModernAsLegacy(target, who, found)
    }),
  )

/** Whether a server refuses handshakes in general, rather than this caller or at this time. */
const mayBeModern = (fault: unknown): fault is Fault =>
  fault instanceof ServerErred ||
  (fault instanceof ServerRefused && fault.status < 500 && ![401, 403, 407, 429].includes(fault.status))

const noKnownRevision = ({ name }: Target): Fault =>
  new Fault('mcp_no_revision', `mcp: target ${name} speaks no revision that is known here`, {
    status: 502,
    reason: 'MCP',
  })

const INITIALIZED_TIMEOUT_MS = 1_000
