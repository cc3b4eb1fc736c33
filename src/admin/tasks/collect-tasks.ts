import { activeWork, type WorkItem } from '../../model/introspection/active-work.ts'
import type { Ports } from '../../streams/http/port/ports.ts'
import type { Dependencies } from '../../upstream/dependency-status.ts'
import type { McpStatusRegistry } from '../../upstream/mcp/status-registry.ts'
import { initialMembers } from '../initial-members.ts'
import { listenerTasks } from './describe-connections.ts'
import { requestIdsOf, workTask } from './describe-exchange.ts'
import { scanConnections, TASK_LIMIT } from './scan-connections.ts'
import { type TaskNode, type TaskTrees, msBetween, withChildren } from './task-node.ts'

/** Sources of tasks, besides the list of active work. */
export interface TaskSources {
  readonly ports: Pick<Ports, 'active' | 'exchangesInFlight'>
  readonly mcp: Pick<McpStatusRegistry, 'sessionLists'>
  readonly dependencies: Pick<Dependencies, 'statuses'>
}

/**
 * Makes the tree of this process, in small steps. What ends between two steps is left out; what begins may be.
 */
export function* collectTasks({ ports, mcp, dependencies }: TaskSources): Generator<undefined, TaskTrees> {
  const active = ports.active
  const { busy, idle, connections } = yield* scanConnections(active)
  const listed = busy.take()
  const ids = new Set<number>()
  for (const found of listed)
    if ('exchange' in found) for (const id of requestIdsOf(found.exchange.x)) ids.add(id)
  const idleListed = idle.take().slice(0, Math.max(0, TASK_LIMIT - listed.length))
  const omitted = { exchanges: busy.total - listed.length, connections: idle.total - idleListed.length }
  const { byRequest, admin, other, omittedWork } = yield* sortWork(ids, omitted.exchanges > 0)
  const now = performance.now()
  const listeners = yield* listenerTasks(active, listed, idleListed, byRequest, now)
  const sessions = yield* sessionTasks(mcp, now)
  const { pid } = process
  const workload: TaskNode = {
    task: 'process',
    name: String(pid),
    ageMs: Math.round(process.uptime() * 1_000),
    exchanges: ports.exchangesInFlight,
    connections,
    omitted: { ...omitted, sessions: sessions.omitted, work: omittedWork },
    children: [
      ...listeners,
      ...sessions.tasks,
      ...other.map((item) => workTask(item, now)),
      ...dependencies.statuses.slice(0, TASK_LIMIT).map(({ name, state, error, respondedAtMs }) => ({
        task: 'dependency',
        name,
        state,
        error,
        respondedMs: respondedAtMs === undefined ? undefined : Math.max(0, Date.now() - respondedAtMs),
      })),
    ],
  }
  const adminTasks = admin.map((item) => workTask(item, now))
  return {
    admin: [{ task: 'process', name: String(pid), ...withChildren(adminTasks) }],
    workload: [workload],
  }
}

interface SortedWork {
  readonly byRequest: ReadonlyMap<number, readonly WorkItem[]>
  readonly admin: readonly WorkItem[]
  /** For no exchange that is listed. */
  readonly other: readonly WorkItem[]
  readonly omittedWork: number
}

/**
 * Sorts the work that lists itself: by request, for the admin server, and the rest.
 *
 * @param listed Ids of the exchanges that are shown.
 * @param isPartial Whether others are not: their work is not either.
 */
function* sortWork(listed: ReadonlySet<number>, isPartial: boolean): Generator<undefined, SortedWork> {
  const byRequest = new Map<number, WorkItem[]>()
  const admin: WorkItem[] = []
  const other: WorkItem[] = []
  let omittedWork = 0
  for (const item of initialMembers(activeWork)) {
    const { requestId, kind } = item
    const list =
      requestId !== undefined && listed.has(requestId)
        ? listOf(byRequest, requestId)
        : kind === 'admin call' || kind === 'trace watcher'
          ? admin
          : requestId === undefined || !isPartial
            ? other
            : undefined
    if (list && list.length < TASK_LIMIT) list.push(item)
    else omittedWork++
    yield undefined
  }
  return { byRequest, admin, other, omittedWork }
}

const listOf = (byRequest: Map<number, WorkItem[]>, id: number): WorkItem[] => {
  const known = byRequest.get(id)
  if (known) return known
  const made: WorkItem[] = []
  byRequest.set(id, made)
  return made
}

/** MCP sessions, those of each backend oldest first. */
function* sessionTasks(
  { sessionLists }: Pick<McpStatusRegistry, 'sessionLists'>,
  now: number,
): Generator<undefined, { readonly tasks: TaskNode[]; readonly omitted: number }> {
  const tasks: TaskNode[] = []
  let total = 0
  for (const { backend, count, each } of sessionLists) {
    total += count()
    for (const { session, startedAt, usedAt, running, isListening, ...more } of each()) {
      if (tasks.length >= TASK_LIMIT) break
      tasks.push({
        task: 'mcp session',
        name: session,
        ageMs: msBetween(startedAt, now),
        backend,
        idleMs: msBetween(usedAt, now),
        running,
        ...(isListening && { isListening }),
        ...more,
      })
      yield undefined
    }
  }
  return { tasks, omitted: Math.max(0, total - tasks.length) }
}
