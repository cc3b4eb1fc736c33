import { map, type Observable, of } from 'rxjs'
import type { Exchange } from '../../../../model/exchange.ts'
import type { Connection } from '../../../../model/connection.ts'
import type { Closable } from '../../../../upstream/leaving.ts'
import type { Behalf } from '../../../../upstream/mcp/wire.ts'
import { reconnect } from '../servers/connect.ts'
import type { Introduction } from '../servers/handshake.ts'
import type { Peer } from '../servers/peer.ts'
import { principalOf } from '../sessions/principal.ts'
import type { Target } from '../servers/target.ts'

/** A session with a server, for one request at a time. */
export interface Lease {
  readonly peer: Peer
  /** It served another request before: the server may have forgotten it. */
  readonly isUsed: boolean
  /** Gives it back; `spoiled` if nobody should use it again. */
  release(spoiled: boolean): void
}

/**
 * Sessions with servers that need them, for clients that have none. One that a client has done with is kept a while for
 * the next request of the same client: the same caller, on the same connection where nobody proved who is calling. Two
 * clients never meet in one.
 */
export class Leases implements Closable {
  readonly #idle = new Map<string, { readonly peer: Peer; readonly timer: NodeJS.Timeout }[]>()
  readonly #connections = new WeakMap<Connection, number>()
  readonly #idleMs: number
  #lastConnection = 0
  #isClosed = false

  /** @param idleMs How long one waits for the next request. */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  take(target: Target, who: Introduction, x: Exchange): Observable<Lease> {
    const key = this.#keyFor(target, who, x)
    const kept = key === undefined ? undefined : this.#kept(key)
    if (kept) return of(this.#lease(key, kept, target, x, true))
    return reconnect(target, who, x).pipe(map((peer) => this.#lease(key, peer, target, x, false)))
  }

  /** One that is still good, as far as that can be told. */
  #kept(key: string): Peer | undefined {
    const list = this.#idle.get(key)
    for (;;) {
      const idle = list?.pop()
      if (list?.length === 0) this.#idle.delete(key)
      if (!idle) return undefined
      clearTimeout(idle.timer)
      if (!idle.peer.isOver) return idle.peer
    }
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    this.#isClosed = true
    for (const list of this.#idle.values())
      for (const { peer, timer } of list) {
        clearTimeout(timer)
        peer.close(undefined)
      }
    this.#idle.clear()
    return Promise.resolve()
  }

  #lease(key: string | undefined, peer: Peer, target: Target, x: Exchange, isUsed: boolean): Lease {
    let released = false
    return {
      peer,
      isUsed,
      release: (spoiled) => {
        if (released) return
        released = true
        if (spoiled || key === undefined || this.#isClosed) peer.close(target.behalf(x))
        else this.#keep(key, peer, target.behalf(x))
      },
    }
  }

  #keep(key: string, peer: Peer, behalf: Behalf): void {
    const list = this.#idle.get(key) ?? []
    if (list.length >= IDLE_LIMIT) {
      peer.close(behalf)
      return
    }
    const entry = {
      peer,
      timer: setTimeout(() => {
        const at = list.indexOf(entry)
        if (at >= 0) list.splice(at, 1)
        if (list.length === 0 && this.#idle.get(key) === list) this.#idle.delete(key)
        peer.close(behalf)
      }, this.#idleMs).unref(),
    }
    list.push(entry)
    this.#idle.set(key, list)
  }

  /** Undefined if the next request that looks like this one may be somebody else's. */
  #keyFor(target: Target, who: Introduction, x: Exchange): string | undefined {
    const principal = principalOf(x)
    const { headers, connection } = x.request
    // Behind a proxy the connection says nothing about the client.
    if (!principal && (headers.has('x-forwarded-for') || headers.has('forwarded'))) return undefined
    const whose = principal || String(this.#numberOf(connection))
    return JSON.stringify([target.name, whose, principal !== '', headers.get('authorization'), who])
  }

  #numberOf(connection: Connection): number {
    const known = this.#connections.get(connection)
    if (known !== undefined) return known
    this.#connections.set(connection, ++this.#lastConnection)
    return this.#lastConnection
  }
}

const IDLE_MS = 30_000
/** Of one client with one server. */
const IDLE_LIMIT = 8
