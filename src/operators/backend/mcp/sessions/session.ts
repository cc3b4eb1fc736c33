import { randomBytes } from 'node:crypto'
import {
  defer,
  filter,
  finalize,
  merge,
  type Observable,
  of,
  ReplaySubject,
  share,
  Subject,
  takeUntil,
  tap,
} from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Behalf } from '../../../../upstream/mcp/wire.ts'
import type { Id, Notification, Request } from '../../../../protocols/json-rpc/message.ts'
import type { LastHeard } from './idle-end.ts'
import type { Access } from './access.ts'
import type { Introduction } from '../servers/handshake.ts'
import type { Peer } from '../servers/peer.ts'
import { callKey } from '../answer/call-key.ts'
import type { ResumableCalls } from '../answer/resumable-call.ts'
import type { Target } from '../servers/target.ts'

/** How a session reaches a server that it has not reached yet, or no more. */
export type Connect = (target: Target, who: Introduction, x: Exchange) => Observable<Peer>

/**
 * One client's session, in the revisions that have them: the servers it has reached, the requests that can be cancelled,
 * and the stream of what belongs to none of them.
 */
export class McpSession implements Access {
  /** What the client calls it; empty for one that lasts a single request. */
  id = ''
  readonly who: Introduction
  /** Who may use it. */
  readonly principal: string
  /** Of the protocol, as `initialize` was answered. */
  revision = ''
  /** `performance.now()` when the client was heard last. */
  usedAtMs = performance.now()
  readonly canAsk: boolean
  /** In whose name servers are told that an idle session is over. */
  lastHeard: LastHeard | undefined = undefined
  /** Answers that can be taken up again. */
  readonly resumable: ResumableCalls = new Map()
  /** Keys of calls that another replica began for the same session must not look like those of this one. */
  readonly #callPrefix = randomBytes(6).toString('base64url')
  #lastCall = 0
  #isLost = false
  readonly #connect: Connect
  readonly #connecting = new Map<string, Observable<Peer>>()
  readonly #left = new Subject<Peer>()
  readonly #peers = new Map<string, Peer>()
  readonly #running = new Map<Id, () => void>()
  readonly #nextStream = new Subject<void>()
  #isClosed = false

  /** @param canAsk Whether the client can be asked something, and its answers find their way back. */
  constructor(who: Introduction, principal: string, connect: Connect, canAsk = true) {
    this.canAsk = canAsk
    this.who = who
    this.principal = principal
    this.#connect = connect
  }

  get peers(): Iterable<Peer> {
    return this.#peers.values()
  }

  has(target: string): boolean {
    return this.#peers.has(target)
  }

  known(target: string): Peer | undefined {
    return this.#peers.get(target)
  }

  peer(target: Target, x: Exchange): Observable<Peer> {
    return defer(() => {
      const known = this.#peers.get(target.name)
      if (known?.isOver) this.forget(known)
      else if (known) return of(known)
      return this.#connecting.get(target.name) ?? this.#connection(target, x)
    })
  }

  /** Requests that come at the same time share what they begin. */
  #connection(target: Target, x: Exchange): Observable<Peer> {
    const connection = this.#connect(target, this.who, x).pipe(
      tap((peer) => {
        this.adopt(peer)
      }),
      finalize(() => {
        this.#connecting.delete(target.name)
      }),
      share({ connector: () => new ReplaySubject(1) }),
    )
    this.#connecting.set(target.name, connection)
    return connection
  }

  /** The session has reached a server. */
  adopt(peer: Peer): void {
    if (this.#isClosed) peer.close(undefined)
    else this.#peers.set(peer.target, peer)
  }

  /** The server has forgotten the session, or is gone: the next request connects anew. */
  forget(peer: Peer): void {
    if (this.#peers.get(peer.target) !== peer) return
    this.#peers.delete(peer.target)
    // It began elsewhere, and no server knows it any more: somebody ended it.
    this.#isLost ||= isResumed(peer) && this.#peers.size === 0
    this.#left.next(peer)
  }

  /** Emits when a server is no more reached in this way. */
  left(peer: Peer): Observable<Peer> {
    return this.#left.pipe(filter((one) => one === peer))
  }

  /** Nothing is left of it with any server, and it did not begin here. */
  get isLost(): boolean {
    return this.#isLost
  }

  /** The client was heard. */
  touch(): void {
    this.usedAtMs = performance.now()
  }

  /** Names a call among those of the session, and who keeps its answer. */
  nextCallKey(id: Id, keeper?: string): string {
    return callKey(`${this.#callPrefix}-${++this.#lastCall}`, id, keeper)
  }

  /** @returns False if a request with this id is under way already. */
  began(id: Id, cancel: () => void): boolean {
    if (this.#running.has(id)) return false
    this.#running.set(id, cancel)
    return true
  }

  ended(id: Id): void {
    this.#running.delete(id)
    this.touch()
  }

  /** The client does not want the answer any more. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.()
  }

  /** A request is under way. A stream alone is not: whoever only listens has gone idle. */
  get isBusy(): boolean {
    return this.#running.size > 0
  }

  /** Somebody listens to what belongs to no request. */
  get isHeard(): boolean {
    return this.#nextStream.observed
  }

  /** What belongs to no request. A session has one such stream; a new one ends the one before. */
  stream(heard: readonly Observable<Notification | Request>[]): Observable<Notification | Request> {
    this.#nextStream.next()
    return merge(...heard).pipe(takeUntil(this.#nextStream))
  }

  /** Ends it, and everything that it has with servers. */
  close(behalfOf?: (target: string) => Behalf | undefined): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#nextStream.next()
    for (const cancel of this.#running.values()) cancel()
    for (const call of this.resumable.values()) call.cancel()
    for (const peer of this.#peers.values()) peer.close(behalfOf?.(peer.target))
    this.#peers.clear()
  }
}

/** A session with the server that began elsewhere, under a name of the server's. */
export const isResumed = ({ about, sessionId }: Peer): boolean =>
  about === undefined && sessionId !== undefined
