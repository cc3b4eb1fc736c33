/** How it stands with one MCP server, as far as it has been tried. */
export interface McpServerStatus {
  readonly state: 'unknown' | 'well' | 'failing'
  /** Why, if it is failing. */
  readonly error: string | undefined
  /** Since when, in milliseconds since the epoch. */
  readonly sinceMs: number
  /** The revision that it was spoken to in last. */
  readonly revision: string | undefined
  /** Whether it wants handshakes, and whether it does without; undefined is not known. */
  readonly legacy: boolean | undefined
  readonly modern: boolean | undefined
  /** What it has that other servers of the backend have by the same name, though names have no prefixes. */
  readonly collisions?: readonly string[] | undefined
  /** Lists that have more pages than are read for a list of several servers, and how many that are. */
  readonly longLists?: Readonly<Record<string, number>> | undefined
}

/** A list that has more pages than are read: what comes later is offered to nobody. */
export interface McpLongList {
  readonly target: string
  readonly method: string
  /** As many as were read. */
  readonly pages: number
}

/** Something that several servers of a backend have by one name: without prefixes none of them offers it. */
export interface McpCollision {
  readonly kind: string
  readonly name: string
  readonly targets: readonly string[]
}

/** One target of a backend, and how it stands with it. */
export interface McpTargetStatus extends McpServerStatus {
  /** Key of the backend. */
  readonly backend: string
  readonly target: string
  /** How many processes run for targets of this name; undefined if it is none that is run. */
  readonly children: number | undefined
}
