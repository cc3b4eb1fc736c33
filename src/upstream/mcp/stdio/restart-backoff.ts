import type { Fault } from '../../../model/exchange/fault.ts'
import type { McpStdio } from '../../../model/mcp/mcp-backend.ts'
import { failsTooOften } from './faults.ts'

/** Deaths in a row without a delay. */
const FREE_DEATHS = 2
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000

/**
 * Delays restarts of servers that fail to start: after three deaths in a row before any response, a start is refused
 * for half a second, then for twice as long each time, up to 30 s. A response resets this, and so does a new
 * configuration. A server that responded and died later does not count: otherwise a client that can crash a server
 * could block it for all others.
 */
export class StdioBackoff {
  readonly #now: () => number
  /** By the target's configuration, whose object is new after a reload. */
  readonly #rows = new WeakMap<McpStdio, Row>()

  /** @param now A clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The fault if the server may not be started now. */
  refusal(target: string, stdio: McpStdio): Fault | undefined {
    const row = this.#rows.get(stdio)
    const waitMs = (row?.until ?? 0) - this.#now()
    return row && waitMs > 0 ? failsTooOften(target, row.deaths, waitMs) : undefined
  }

  /** It died, or could not be started. */
  died(stdio: McpStdio): void {
    const deaths = (this.#rows.get(stdio)?.deaths ?? 0) + 1
    const wait = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** (deaths - FREE_DEATHS - 1))
    this.#rows.set(stdio, { deaths, until: deaths > FREE_DEATHS ? this.#now() + wait : -Infinity })
  }

  /** It responded. */
  worked(stdio: McpStdio): void {
    this.#rows.delete(stdio)
  }
}

interface Row {
  readonly deaths: number
  /** No start before then. */
  readonly until: number
}
