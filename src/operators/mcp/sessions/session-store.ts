import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../../../../model/fault.ts'
import type { Closable } from '../../../../upstream/leaving.ts'
import { KeptBytes } from '../answer/kept-bytes.ts'
import type { McpSession } from './session.ts'

/** The sessions that this process knows of one backend. Those that lie idle too long end. */
export class McpSessions implements Closable {
  /** What is kept of answers, for all sessions. */
  readonly kept = new KeptBytes()
  readonly #byId = new Map<string, McpSession>()
  /** Ended by their clients, or idle too long: their ids open nothing any more, though their seal is good. */
  readonly #ended: LRUCache<string, true>
  readonly #idleMs: number
  #sweeper: NodeJS.Timeout | undefined = undefined
  /** Ends what an idle session has with servers: set by whoever knows them, under the configuration in force. */
  endIdle: (session: McpSession) => void = (session) => {
    session.close()
  }

  constructor(idleMs: number) {
    this.#idleMs = idleMs
    this.#ended = new LRUCache({ max: ENDED_LIMIT })
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

  /** Takes a session out: its client has ended it, or has not been heard for too long. */
  end(id: string): void {
    this.#ended.set(digestOf(id), true)
    this.#byId.delete(id)
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
   * Ends the session that has been idle for longest, if that is long enough to think its client gone: many leave without a
   * word, and what they leave behind may be in the way of those who come.
   *
   * @returns Whether there was one.
   */
  makeRoom(): boolean {
    const limit = performance.now() - GONE_MS
    let longest: McpSession | undefined
    for (const session of this.#byId.values()) {
      if (session.usedAtMs > limit || session.isBusy || session.isHeard) continue
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
    this.endIdle(session)
    this.end(session.id)
  }
}

/** A client that was silent for so long may be gone. */
const GONE_MS = 30_000
/** Sessions of one backend that a process keeps at a time. */
const SESSIONS_LIMIT = 10_000
const ENDED_LIMIT = 100_000

/** Sessions that are to end soon are looked at often. */
const sweepMs = (idleMs: number): number => Math.min(30_000, Math.max(10, idleMs / 2))

/** Ids are long, and need not be kept as they are to be known again. */
const digestOf = (id: string): string => hash('sha256', id, 'base64url')

const tooMany = (): Fault =>
  new Fault('mcp_too_many_sessions', `mcp: more than ${SESSIONS_LIMIT} sessions are open`, {
    status: 503,
    reason: 'MCP',
  })
