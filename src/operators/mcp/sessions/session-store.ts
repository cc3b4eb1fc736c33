import { hash } from 'node:crypto'
import type { LRUCache } from 'lru-cache'
import { Fault } from '../../../model/exchange/fault.ts'
import { type ModuleLog, silentLog } from '../../../model/log/module-log.ts'
import { sessionDigest } from '../../../protocols/mcp/session-digest.ts'
import type { Closable } from '../../../upstream/draining.ts'
import { ReplayBudget } from '../response/event-store.ts'
import type { McpSession } from './session.ts'
import { boundedCache } from '../../../model/introspection/bounded-cache.ts'

/** Sessions of one backend in this process. Idle ones end after a timeout. */
export class SessionStore implements Closable {
  /** Bytes kept for resumption, for all sessions. */
  readonly replayBudget = new ReplayBudget()
  readonly #byId = new Map<string, McpSession>()
  /** Ids that were ended by their clients or by the timeout: they are invalid, though their seal is good. */
  readonly #ended: LRUCache<string, true>
  readonly #idleMs: number
  readonly #log: ModuleLog
  #sweeper: NodeJS.Timeout | undefined = undefined
  /** Ends the server sessions of an idle session: set by the endpoint of the current configuration. */
  endIdle: (session: McpSession) => void = (session) => {
    session.close()
  }

  constructor(idleMs: number, log: ModuleLog = silentLog) {
    this.#idleMs = idleMs
    this.#log = log
    this.#ended = boundedCache<string, true>('ended_mcp_sessions', { max: ENDED_LIMIT })
  }

  get size(): number {
    return this.#byId.size
  }

  all(): Iterable<McpSession> {
    return this.#byId.values()
  }

  /** @throws Fault `mcp_too_many_sessions`. */
  add(id: string, session: McpSession): void {
    if (this.#byId.size >= SESSIONS_LIMIT) throw tooMany()
    session.id = id
    this.#byId.set(id, session)
    this.#log.debug?.('a session begins', { session: sessionDigest(id), sessions: this.#byId.size })
    this.#sweeper ??= setInterval(() => {
      this.#sweep()
    }, sweepMs(this.#idleMs)).unref()
  }

  find(id: string): McpSession | undefined {
    return this.#byId.get(id)
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(digestOf(id))
  }

  /** Removes a session that its client ended or that was idle too long. */
  end(id: string): void {
    this.#ended.set(digestOf(id), true)
    this.#byId.delete(id)
    this.#log.debug?.('a session ends', { session: sessionDigest(id), sessions: this.#byId.size })
    if (this.#byId.size > 0) return
    clearInterval(this.#sweeper)
    this.#sweeper = undefined
  }

  close(): Promise<void> {
    return this.destroy()
  }

  destroy(): Promise<void> {
    for (const session of this.#byId.values()) session.close()
    this.#byId.clear()
    clearInterval(this.#sweeper)
    return Promise.resolve()
  }

  /**
   * Ends the session that was idle for longest, if its client is probably gone: many disconnect without DELETE, and
   * their sessions take capacity.
   *
   * @returns Whether there was one.
   */
  makeRoom(): boolean {
    const limit = performance.now() - GONE_MS
    let longest: McpSession | undefined
    for (const session of this.#byId.values()) {
      if (session.usedAtMs > limit || session.isBusy || session.isListening) continue
      if (!longest || session.usedAtMs < longest.usedAtMs) longest = session
    }
    if (longest) this.#endIdle(longest)
    return longest !== undefined
  }

  #sweep(): void {
    const limit = performance.now() - this.#idleMs
    for (const session of this.#byId.values())
      if (session.usedAtMs <= limit && !session.isBusy) this.#endIdle(session)
  }

  #endIdle(session: McpSession): void {
    const idleMs = Math.round(performance.now() - session.usedAtMs)
    this.#log.debug?.('a session is idle', { session: sessionDigest(session.id), idleMs })
    this.endIdle(session)
    this.end(session.id)
  }
}

/** A client that is silent for this time may be gone. */
const GONE_MS = 30_000
/** Concurrent sessions of one backend in a process. */
const SESSIONS_LIMIT = 10_000
const ENDED_LIMIT = 100_000

/** Short timeouts need frequent sweeps. */
const sweepMs = (idleMs: number): number => Math.min(30_000, Math.max(10, idleMs / 2))

/** Ids are long; a digest is enough to recognize them. */
const digestOf = (id: string): string => hash('sha256', id, 'base64url')

const tooMany = (): Fault =>
  new Fault('mcp_too_many_sessions', `mcp: more than ${SESSIONS_LIMIT} sessions are open`, {
    status: 503,
    reason: 'MCP',
  })
