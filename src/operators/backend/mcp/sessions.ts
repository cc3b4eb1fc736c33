import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { Fault } from '../../../model/fault.ts'
import type { Closable } from '../../../upstream/leaving.ts'
import type { McpSession } from './session.ts'

/** The sessions that this process knows of one backend. Those that lie idle too long end. */
export class McpSessions implements Closable {
  readonly #byId = new Map<string, McpSession>()
  /** Ended by their clients, or idle too long: their ids open nothing any more, though their seal is good. */
  readonly #ended: LRUCache<string, true>
  readonly #idleMs: number
  #sweeper: NodeJS.Timeout | undefined = undefined

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

  #sweep(): void {
    const limit = performance.now() - this.#idleMs
    for (const [id, session] of this.#byId) {
      if (session.usedAtMs > limit || session.isBusy) continue
      session.close()
      this.end(id)
    }
  }
}

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
