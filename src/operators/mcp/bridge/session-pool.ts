import { map, type Observable, of, retry, tap, throwError, timer } from 'rxjs'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Closable } from '../../../upstream/draining.ts'
import { newestLegacy } from '../../../protocols/mcp/revisions.ts'
import { isAtCapacity, CAPACITY_RETRY_MS } from '../servers/capacity.ts'
import { reconnect } from '../servers/connect.ts'
import type { Introduction } from '../servers/handshake.ts'
import type { ServerClient } from '../servers/server-client.ts'
import { detachedFrom } from '../sessions/idle-timeout.ts'
import { principalOf } from '../sessions/principal.ts'
import type { Target } from '../servers/target.ts'
import type { Lease } from './lease.ts'
import { WarmSession } from './warm-session.ts'
import { IdleSessions, type AnonymousCaller } from './idle-sessions.ts'
import { SharedSessions } from './shared-sessions.ts'
import { UnsolicitedRequests } from './unsolicited-requests.ts'

/** What a session is leased for. */
export interface Purpose {
  /** Only lists, and leaves no state in the session. */
  readonly isReadOnly: boolean
  /** The session must belong to the caller alone, whatever is configured. */
  readonly isOwn: boolean
}

/** Options of a session pool. */
export interface SessionPoolOptions {
  /** How long an idle shared session is kept. */
  readonly sharedIdleMs: number
  /** Ends an idle program; returns whether there was one. */
  readonly makeRoom: () => boolean
}

/**
 * Sessions with servers that require them, for clients without sessions. A session is kept for the next request of the
 * same client: the same caller, or the same connection where callers are anonymous. Two clients never share one, unless
 * the target allows that for anonymous callers.
 */
export class SessionPool implements Closable {
  readonly #idle = new IdleSessions()
  readonly #shared: SharedSessions<WarmSession>
  readonly #makeRoom: () => boolean

  constructor({ sharedIdleMs, makeRoom }: SessionPoolOptions) {
    this.#shared = new SharedSessions(sharedIdleMs)
    this.#makeRoom = makeRoom
  }

  take(target: Target, who: Introduction, x: Exchange, purpose: Purpose): Observable<Lease> {
    const isAnonymous = principalOf(x) === ''
    if (isAnonymous && target.legacy === 'shared' && !purpose.isOwn) return this.#take(target, x)
    const caller = this.#idle.callerOf(target, who, x)
    const kept = caller && this.#idle.take(caller)
    if (kept) return of(this.#lease(target, kept, x, caller, isReadOnly(kept, purpose), true))
    // Only messages reach a program: an unused one is as good as a new one.
    const minIdle = isAnonymous && target.isProgram ? (target.minIdle ?? 0) : 0
    const kind = JSON.stringify(who)
    const { warm } = target.state
    const ready = minIdle > 0 ? warm.take(kind) : undefined
    const session = ready ? of(ready) : this.#begin(target, who, x)
    return session.pipe(
      map((one) => {
        one.onRelease = (released) => {
          warm.put(kind, minIdle, released)
        }
        if (!purpose.isReadOnly && minIdle > 0)
          warm.fill(kind, minIdle, () => this.#begin(target, who, detachedFrom(x)))
        return this.#lease(target, one, x, caller, isReadOnly(one, purpose), false)
      }),
    )
  }

  /** Whether the caller has a session of its own, whose state may differ from that of a new one. */
  hasOwn(target: Target, who: Introduction, x: Exchange): boolean {
    if (target.legacy === 'shared' && principalOf(x) === '') return this.#shared.has(sharedKey(target, x))
    const caller = this.#idle.callerOf(target, who, x)
    return caller !== undefined && this.#idle.has(caller)
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    this.#idle.destroy()
    this.#shared.destroy()
    return Promise.resolve()
  }

  #take(target: Target, x: Exchange): Observable<Lease> {
    const key = sharedKey(target, x)
    const begin = (): Observable<WarmSession> => {
      // Sessions with a server that was removed from the configuration end.
      target.state.onGone.set(key, () => {
        this.#shared.retire(key)
      })
      return this.#begin(target, gatewayIntroduction, detachedFrom(x))
    }
    return this.#shared.take(key, begin).pipe(
      map(({ item: { server, unsolicited }, isUsed, release, discard }) => ({
        server,
        unsolicited,
        isUsed,
        isShared: true,
        release,
        discard,
      })),
    )
  }

  #begin(target: Target, who: Introduction, x: Exchange): Observable<WarmSession> {
    let unsolicited: UnsolicitedRequests | undefined
    const began = (server: ServerClient): UnsolicitedRequests =>
      (unsolicited ??= new UnsolicitedRequests(server, target, target.requestContext(detachedFrom(x))))
    const stop = (): void => {
      unsolicited?.stop()
    }
    return reconnect(target, who, x, began).pipe(
      retry({
        count: 3,
        delay: (fault: unknown) =>
          isAtCapacity(fault) && this.#makeRoom() ? timer(CAPACITY_RETRY_MS) : throwError(() => fault),
      }),
      map((server) => new WarmSession(server, began(server), target.requestContext(detachedFrom(x)))),
      tap({ error: stop, unsubscribe: stop }),
    )
  }

  #lease(
    target: Target,
    session: WarmSession,
    x: Exchange,
    caller: AnonymousCaller | undefined,
    isReadOnly: boolean,
    isUsed: boolean,
  ): Lease {
    session.isUntouched = isReadOnly
    const { server, unsolicited } = session
    let isReleased = false
    return {
      server,
      unsolicited,
      isUsed,
      isShared: false,
      release: (spoiled) => {
        if (isReleased) return
        isReleased = true
        unsolicited.carrier = undefined
        session.context = target.requestContext(x)
        if (spoiled) session.end()
        else if (caller) this.#idle.keep(caller, session)
        else session.release()
      },
      discard: () => undefined,
    }
  }
}

const isReadOnly = (session: WarmSession, purpose: Purpose): boolean =>
  session.isUntouched && purpose.isReadOnly

const sharedKey = ({ name, state }: Target, x: Exchange): string =>
  JSON.stringify([name, state.number, x.request.headers.get('authorization')])

/** The client of a shared session. It declares no capabilities, so that servers send it no requests. */
const gatewayIntroduction: Introduction = {
  protocolVersion: newestLegacy,
  capabilities: {},
  clientInfo: { name: 'agentgateway', version: '1' },
}
