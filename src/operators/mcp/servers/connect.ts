import { catchError, from, map, mergeMap, type Observable, of, tap, throwError, timeout } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import { Fault } from '../../../../model/fault.ts'
import { newestModern } from '../../../../protocols/mcp/revisions.ts'
import { ServerRefused } from '../../../../upstream/mcp/server-refused.ts'
import { handshake, type Introduction } from './handshake.ts'
import { ServerErred } from '../answer/mcp-refusal.ts'
import { discover } from './modern-access.ts'
import { ModernAsLegacy } from '../bridge/modern-as-legacy.ts'
import { nameTarget, takeDownHealth } from '../federation/health.ts'
import { noteStep } from '../note-step.ts'
import type { Peer } from './peer.ts'
import type { Target } from './target.ts'

/**
 * Reaches a server for a client that has shaken hands, or is about to. A server that does not want a handshake is asked
 * what it is; if it speaks a revision without, it is given what such revisions want with each request.
 */
export const connect = (target: Target, who: Introduction, x: Exchange): Observable<Peer> => {
  const { memory } = target
  if (memory.speaks('legacy') === false) return withoutHandshake(target, who, x, speaksNothing(target))
  const began = x.probe?.now()
  return handshake(target, who, target.behalf(x)).pipe(
    tap(({ revision }) => {
      memory.learn('legacy', true)
      memory.reached(revision)
      noteStep(x, { step: 'handshake', target: target.name, revision }, began)
    }),
    catchError((fault: unknown) =>
      mayBeModern(fault) ? withoutHandshake(target, who, x, fault) : throwError(() => fault),
    ),
    takeDownHealth(target),
    nameTarget(target),
  )
}

/** The same for a session that is under way: the client says no more that it is there, so that is said here. */
export const reconnect = (target: Target, who: Introduction, x: Exchange): Observable<Peer> =>
  connect(target, who, x).pipe(
    mergeMap((peer) =>
      from(peer.notify({ method: 'notifications/initialized' }, target.behalf(x))).pipe(
        // It has been sent by then; one that takes it slowly, or never says that it did, may serve requests all the same.
        timeout({ first: PATIENCE_MS, with: () => of(undefined) }),
        map(() => peer),
        catchError((fault: unknown) => {
          peer.close(target.behalf(x))
          return throwError(() => fault)
        }),
      ),
    ),
  )

const withoutHandshake = (target: Target, who: Introduction, x: Exchange, refused: Error): Observable<Peer> =>
  discover(target, x).pipe(
    map((found) => {
      target.memory.learn('modern', found !== undefined)
      if (found === undefined) throw refused
      target.memory.learn('legacy', false)
      target.memory.reached(newestModern)
      return new ModernAsLegacy(target, who, found)
    }),
  )

/** A server that refuses a handshake for what it is, not for who asks or for how it stands. */
const mayBeModern = (fault: unknown): fault is Fault =>
  fault instanceof ServerErred ||
  (fault instanceof ServerRefused && fault.status < 500 && ![401, 403, 407, 429].includes(fault.status))

const speaksNothing = ({ name }: Target): Fault =>
  new Fault('mcp_no_revision', `mcp: target ${name} speaks no revision that is known here`, {
    status: 502,
    reason: 'MCP',
  })

const PATIENCE_MS = 1_000
