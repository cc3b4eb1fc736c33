/**
 * A node of the tree of `/debug/tasks`: something that is under way, and what it consists of. The other fields depend
 * on the kind; they are plain data without credentials, with units in their names.
 */
export interface TaskNode {
  /** Kind: `process`, `listener`, `connection`, `exchange`, `callout` … */
  readonly task: string
  readonly name?: string | undefined
  /** How long it has been under way. */
  readonly ageMs?: number | undefined
  readonly [attribute: string]: unknown
  /** Absent if there are none. */
  readonly children?: readonly TaskNode[] | undefined
}

/** Tasks by purpose: those of the admin interface, and those of traffic. One tree for each process. */
export interface TaskTrees {
  readonly admin: readonly TaskNode[]
  readonly workload: readonly TaskNode[]
}

/** Milliseconds from one time of `performance.now()` to another. */
export const msBetween = (from: number, to: number): number => Math.max(0, Math.round((to - from) * 10) / 10)

/** The children of a node, or nothing. */
export const withChildren = (children: readonly TaskNode[]): Pick<TaskNode, 'children'> =>
  children.length > 0 ? { children } : {}
