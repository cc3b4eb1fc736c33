/** Status of one MCP server, as of the last attempts. */
export interface McpServerStatus {
  readonly state: 'unknown' | 'well' | 'failing'
  /** The error of a failing server. */
  readonly error: string | undefined
  /** Since when, in milliseconds since the epoch. */
  readonly sinceMs: number
  /** The protocol revision used last. */
  readonly revision: string | undefined
  /** Whether it supports handshakes, and requests without them; undefined means unknown. */
  readonly legacy: boolean | undefined
  readonly modern: boolean | undefined
  /** Calls since the server is known, and those of them that failed. */
  readonly requests: number
  readonly failures: number
  /** Moving average of the duration of successful calls; undefined before the first. */
  readonly latencyMs: number | undefined
  /** Items whose unprefixed names also occur on other servers of the backend. */
  readonly collisions?: readonly string[] | undefined
  /** Lists with more pages than a merged list reads, with the number read. */
  readonly longLists?: Readonly<Record<string, number>> | undefined
}

/** A list with more pages than are read: later items are not offered. */
export interface McpLongList {
  readonly target: string
  readonly method: string
  /** Number of pages read. */
  readonly pages: number
}

/** A name that several servers of a backend use: without prefixes it is not offered. */
export interface McpCollision {
  readonly kind: string
  readonly name: string
  readonly targets: readonly string[]
}

/** One target of a backend and its status. */
export interface McpTargetStatus extends McpServerStatus {
  /** Key of the backend. */
  readonly backend: string
  readonly target: string
  /** Number of processes of targets with this name; undefined for other transports. */
  readonly children: number | undefined
}
