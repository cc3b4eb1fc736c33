import type { Fault } from '../../model/fault.ts'
import type { McpStdio } from '../../model/mcp.ts'
import { failsTooOften } from './stdio-faults.ts'

/** So many deaths in a row are bad luck; the next ones cost time. */
const FREE_DEATHS = 2
const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 30_000

/**
 * Keeps servers that do not come up from being started over and over: after three deaths in a row before any answer, a
 * start is refused for half a second, then for twice as long each time, up to 30 s. An answer ends the row, and so does a
 * new configuration. A server that answered and died later does not count: otherwise one client that knows how to
 * crash a server could keep it from all the others.
 */
export class StdioBackoff {
  readonly #now: () => number
  /** By the configuration of the target, which a changed file makes anew. */
  readonly #rows = new WeakMap<McpStdio, Row>()

  /** @param now A clock in milliseconds. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Says why the server may not be started now. */
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

  /** It answered. */
  worked(stdio: McpStdio): void {
    this.#rows.delete(stdio)
  }
}

interface Row {
  readonly deaths: number
  /** No start before then. */
  readonly until: number
}
