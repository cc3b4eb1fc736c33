import type { McpServerStatus, McpTargetStatus } from '../../model/mcp/mcp-status.ts'
import type { Closable } from '../draining.ts'

/** A target that is listed. */
export interface ListedTarget {
  readonly backend: string
  readonly target: string
  readonly status: () => McpServerStatus
  readonly children: (() => number) | undefined
}

/** The sessions of a backend. */
export interface ListedSessions {
  readonly backend: string
  readonly count: () => number
  readonly each: () => Iterable<McpSessionStatus>
}

/** A client's session. */
export interface McpSessionStatus {
  /** Digest of its id, as in logs and traces. */
  readonly session: string
  readonly transport: 'streamable' | 'sse'
  readonly revision: string
  /** `performance.now()` of its start in this process, and of its last request. */
  readonly startedAt: number
  readonly usedAt: number
  /** Requests under way. */
  readonly running: number
  /** The stream of messages that belong to no request is open. */
  readonly isListening: boolean
  /** Connected servers. */
  readonly servers: readonly string[]
}

/**
 * Status of the MCP servers of this process and of client sessions, for the admin pages. An entry stays until its
 * handle is closed; after a reload the old and the new may be listed for a while, and the new counts.
 */
export class McpStatusRegistry {
  readonly #targets = new Set<ListedTarget>()
  readonly #sessions = new Set<ListedSessions>()

  /** In the order in which they were listed. */
  get targets(): readonly McpTargetStatus[] {
    const byKey = new Map<string, McpTargetStatus>()
    for (const { backend, target, status, children } of this.#targets)
      byKey.set(JSON.stringify([backend, target]), {
        ...status(),
        backend,
        target,
        children: children?.(),
      })
    return [...byKey.values()]
  }

  /** How many sessions of clients are open, by backend. */
  get sessions(): ReadonlyMap<string, number> {
    const counts = new Map<string, number>()
    for (const { backend, count } of this.#sessions) counts.set(backend, (counts.get(backend) ?? 0) + count())
    return counts
  }

  listTarget(target: ListedTarget): Closable {
    return listed(this.#targets, target)
  }

  /** The lists of sessions, for reports. */
  get sessionLists(): Iterable<ListedSessions> {
    return this.#sessions
  }

  /**
   * @param count Open sessions; called on each read.
   * @param each The sessions, oldest first.
   */
  listSessions(
    backend: string,
    count: () => number,
    each: () => Iterable<McpSessionStatus> = () => [],
  ): Closable {
    return listed(this.#sessions, { backend, count, each })
  }
}

const listed = <T>(list: Set<T>, one: T): Closable => {
  list.add(one)
  const end = (): Promise<void> => {
    list.delete(one)
    return Promise.resolve()
  }
  return { close: end, destroy: end }
}
