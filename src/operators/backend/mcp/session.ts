import { merge, type Observable, of, Subject, takeUntil, tap } from 'rxjs'
import type { Exchange } from '../../../model/exchange.ts'
import type { Behalf } from '../../../upstream/mcp/wire.ts'
import type { Id, Notification, Request } from '../../../protocols/json-rpc/message.ts'
import type { Access } from './access.ts'
import type { Introduction } from './handshake.ts'
import type { Peer } from './peer.ts'
import type { ResumableCalls } from './resumable-call.ts'
import type { Target } from './target.ts'

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
  /** Answers that can be taken up again. */
  readonly resumable: ResumableCalls = new Map()
  #lastCall = 0
  readonly #connect: Connect
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
    const known = this.#peers.get(target.name)
    if (known) return of(known)
    return this.#connect(target, this.who, x).pipe(
      tap((peer) => {
        this.adopt(peer)
      }),
    )
  }

  /** The session has reached a server. */
  adopt(peer: Peer): void {
    if (this.#isClosed) peer.close(undefined)
    else this.#peers.set(peer.target, peer)
  }

  /** The server has forgotten the session, or is gone: the next request connects anew. */
  forget(peer: Peer): void {
    if (this.#peers.get(peer.target) === peer) this.#peers.delete(peer.target)
  }

  /** Names a call among those of the session. */
  nextCallKey(): string {
    return String(++this.#lastCall)
  }

  /** @returns False if a request with this id is under way already. */
  began(id: Id, cancel: () => void): boolean {
    if (this.#running.has(id)) return false
    this.#running.set(id, cancel)
    return true
  }

  ended(id: Id): void {
    this.#running.delete(id)
  }

  /** The client does not want the answer any more. */
  cancel(id: unknown): void {
    if (typeof id === 'string' || typeof id === 'number') this.#running.get(id)?.()
  }

  /** A request is under way. A stream alone is not: whoever only listens has gone idle. */
  get isBusy(): boolean {
    return this.#running.size > 0
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
