import type { Connection } from '../../../model/exchange/connection.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Introduction } from '../servers/handshake.ts'
import type { Target } from '../servers/target.ts'
import { principalOf } from '../sessions/principal.ts'
import type { WarmSession } from './warm-session.ts'

/** The owner of an idle session: an authenticated caller, or a connection where callers are anonymous. */
export interface AnonymousCaller {
  readonly key: string
  /** Undefined for an authenticated caller, who may use any connection. */
  readonly clientConnection: ClientConnection | undefined
}

/** A connection of an anonymous client. */
interface ClientConnection {
  readonly number: number
  readonly keys: Set<string>
  isClosed: boolean
}

interface Entry {
  readonly session: WarmSession
  readonly clientConnection: ClientConnection | undefined
  readonly timer: NodeJS.Timeout
}

/**
 * Idle sessions that are kept for the next request of the same client. They end with its connection, or after a
 * timeout.
 */
export class IdleSessions {
  readonly #byKey = new Map<string, Entry[]>()
  readonly #clientConnections = new WeakMap<Connection, ClientConnection>()
  readonly #idleMs: number
  #lastConnection = 0
  #isClosed = false

  /** @param idleMs How long an idle session is kept. */
  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  /** Undefined if the next request with the same key may come from another client. */
  callerOf({ name, state }: Target, who: Introduction, x: Exchange): AnonymousCaller | undefined {
    const principal = principalOf(x)
    const { headers, connection } = x.request
    // Behind a proxy the connection does not identify the client.
    if (!principal && (headers.has('x-forwarded-for') || headers.has('forwarded'))) return undefined
    const clientConnection = principal ? undefined : this.#connectionOf(connection)
    const owner = clientConnection ? clientConnection.number : principal
    return {
      key: JSON.stringify([name, state.number, owner, headers.get('authorization'), who]),
      clientConnection,
    }
  }

  has({ key }: AnonymousCaller): boolean {
    return this.#byKey.has(key)
  }

  /** The session that was used last and still seems usable. */
  take({ key }: AnonymousCaller): WarmSession | undefined {
    for (;;) {
      const entry = this.#byKey.get(key)?.at(-1)
      if (!entry) return undefined
      this.#remove(key, entry)
      if (!entry.session.isOver) return entry.session
      entry.session.end()
    }
  }

  keep({ key, clientConnection }: AnonymousCaller, session: WarmSession): void {
    const list = this.#byKey.get(key) ?? []
    if (this.#isClosed || clientConnection?.isClosed || list.length >= IDLE_LIMIT) {
      session.release()
      return
    }
    const timer = setTimeout(() => {
      this.#remove(key, entry)
      session.release()
    }, this.#idleMs).unref()
    const entry: Entry = { session, clientConnection, timer }
    list.push(entry)
    this.#byKey.set(key, list)
    clientConnection?.keys.add(key)
  }

  destroy(): void {
    this.#isClosed = true
    for (const list of this.#byKey.values())
      for (const { session, timer } of list) {
        clearTimeout(timer)
        session.end()
      }
    this.#byKey.clear()
  }

  #remove(key: string, entry: Entry): void {
    clearTimeout(entry.timer)
    const list = this.#byKey.get(key) ?? []
    const at = list.indexOf(entry)
    if (at >= 0) list.splice(at, 1)
    if (list.length > 0) return
    this.#byKey.delete(key)
    entry.clientConnection?.keys.delete(key)
  }

  #connectionOf(connection: Connection): ClientConnection {
    const known = this.#clientConnections.get(connection)
    if (known) return known
    const clientConnection: ClientConnection = {
      number: ++this.#lastConnection,
      keys: new Set(),
      isClosed: false,
    }
    this.#clientConnections.set(connection, clientConnection)
    connection.onClose?.(() => {
      clientConnection.isClosed = true
      for (const key of [...clientConnection.keys])
        for (const entry of [...(this.#byKey.get(key) ?? [])]) {
          this.#remove(key, entry)
          entry.session.release()
        }
    })
    return clientConnection
  }
}

const IDLE_MS = 30_000
/** Idle sessions of one client with one server. */
const IDLE_LIMIT = 8
