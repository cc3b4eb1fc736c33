/** A piece of asynchronous work that is under way: a callout, a call of an MCP server, a reload, a watched file. */
export interface WorkItem {
  /** What it is, such as `callout` or `reload`. */
  readonly kind: string
  /** What it works on: a service, a file, a method. */
  readonly name: string
  /** `performance.now()` of its start. */
  readonly startedAt: number
  /** The request that it is done for; undefined for work that serves many. */
  readonly requestId: number | undefined
  /** `performance.now()` of its timeout; undefined if there is none. */
  readonly deadlineAt: number | undefined
  /** More about it, read when a report is made. Plain data without credentials. */
  readonly detail: (() => Readonly<Record<string, string | number | boolean | undefined>>) | undefined
}

/** What a piece of work is about; the fields of {@link WorkItem} that may be left out. */
export type WorkAttributes = Partial<Pick<WorkItem, 'requestId' | 'deadlineAt' | 'detail'>>

/** In order of their start: a set keeps it, so that the oldest come first at no cost. */
const items = new Set<WorkItem>()

/**
 * Lists a piece of work until the returned function is called, which may happen more than once.
 *
 * The list belongs to the process, as request ids do: code that begins work needs no reference to the reports.
 * Costs an object and an entry of a set, so it is for work that crosses the network or a file system, not for stages.
 *
 * @example
 * const end = beginWork('reload', 'gateway.yaml')
 * try { await load() } finally { end() }
 */
export const beginWork = (
  kind: string,
  name: string,
  { requestId, deadlineAt, detail }: WorkAttributes = {},
): (() => void) => {
  const item: WorkItem = { kind, name, startedAt: performance.now(), requestId, deadlineAt, detail }
  items.add(item)
  return () => {
    items.delete(item)
  }
}

/** Work under way in this process, oldest first. It changes while it is iterated. */
export const activeWork: ReadonlySet<WorkItem> = items
