import type { Exchange } from '../../model/exchange/exchange.ts'
import type { WorkItem } from '../../model/introspection/active-work.ts'
import { hideSecrets, redactUrl } from '../../model/trace/redact.ts'
import type { ActiveExchange } from '../../streams/http/connection/connection-activity.ts'
import { type TaskNode, msBetween, withChildren } from './task-node.ts'

/** Work under way by the id of the request that it is done for. */
export type WorkByRequest = ReadonlyMap<number, readonly WorkItem[]>

/** An exchange of a client: where it is, since when, and what it waits for. */
export const exchangeTask = (
  { x, streamId, isReceiving, isBlocked }: ActiveExchange,
  work: WorkByRequest,
  now: number,
): TaskNode => ({
  ...headOf('exchange', x, now),
  streamId,
  ...(isReceiving && { requestIncomplete: true }),
  ...(isBlocked && { clientBlocked: true }),
  ...withChildren(childrenOf(x, work, now)),
})

/** Work, without what it is done for. */
export const workTask = ({ kind, name, startedAt, deadlineAt, detail }: WorkItem, now: number): TaskNode => ({
  task: kind,
  name: shorten(name),
  ageMs: msBetween(startedAt, now),
  ...Object.fromEntries(
    Object.entries(detail?.() ?? {}).map(([key, value]) => [
      key,
      typeof value === 'string' ? shorten(value) : value,
    ]),
  ),
  ...(deadlineAt !== undefined && { timeoutInMs: msBetween(now, deadlineAt) }),
})

/** Clients choose paths and names, and long ones would make a report that is large. */
export const shorten = (text: string): string =>
  text.length <= MAX_CHARS ? text : `${text.slice(0, MAX_CHARS)}…`

const MAX_CHARS = 256

/** The ids of an exchange and of those within it. */
export function* requestIdsOf(x: Exchange): Generator<number> {
  yield x.request.id
  for (const inner of x.activity?.inner ?? []) yield* requestIdsOf(inner)
}

const headOf = (task: string, x: Exchange, now: number): TaskNode => {
  const { received, id, startedAt } = x.request
  const { stage, since } = stageOf(x)
  const { labels, upstream, downstream, policy } = x
  const target = shorten(redactUrl(received.path + received.query))
  return {
    task,
    name: `${received.method} ${hideSecrets(target, policy.secrets ?? [])}`,
    ageMs: msBetween(startedAt, now),
    id,
    stage,
    stageMs: since === undefined ? undefined : msBetween(since, now),
    host: shorten(received.authority),
    route: labels.route,
    target: upstream.backend?.name,
    ...(upstream.attempts > 1 && { attempt: upstream.attempts }),
    ...(x.reply && { status: x.reply.status }),
    ...(downstream.committed && { sentBytes: downstream.sentBytes }),
  }
}

/** Where an exchange is. Stages that decide at once are never seen: it waits for something outside of the process. */
const stageOf = (x: Exchange): { readonly stage: string; readonly since: number | undefined } => {
  const { reply, upstream, downstream, activity, request } = x
  if (reply?.tunnel && downstream.committed)
    return { stage: 'tunnel', since: upstream.respondedAt || downstream.committedAt }
  if (activity?.stage) return { stage: activity.stage.name, since: activity.stage.startedAt }
  if (downstream.committed) return { stage: 'response body', since: downstream.committedAt }
  if (upstream.attempts > 0)
    return {
      stage: upstream.backend?.protocol === 'mcp' ? 'mcp' : 'upstream',
      since: upstream.startedAt || undefined,
    }
  return { stage: upstream.backend?.type ?? 'request', since: request.startedAt }
}

const childrenOf = (x: Exchange, work: WorkByRequest, now: number): TaskNode[] => {
  const { activity } = x
  return [
    ...upstreamCall(x, now),
    ...(work.get(x.request.id) ?? []).map((item) => workTask(item, now)),
    ...[...(activity?.inner ?? [])].map((inner) => ({
      ...headOf('inner exchange', inner, now),
      ...withChildren(childrenOf(inner, work, now)),
    })),
    ...(activity?.timers ?? []).map(({ name, dueAt }) => ({
      task: 'timer',
      name,
      dueInMs: msBetween(now, dueAt),
    })),
  ]
}

/** The current attempt. Calls of MCP servers are listed by themselves: one exchange may have several at a time. */
const upstreamCall = ({ upstream, reply, activity }: Exchange, now: number): TaskNode[] => {
  const { attempts, backend, endpoint, startedAt, respondedAt, timedOut } = upstream
  if (attempts === 0 || !backend || backend.protocol === 'mcp' || activity?.stage?.name === 'retry backoff')
    return []
  const hasResponded = reply !== undefined && respondedAt >= startedAt
  const state = reply?.tunnel ? 'tunnel' : hasResponded ? 'receiving the body' : 'waiting for the head'
  return [
    {
      task: 'upstream call',
      name: endpoint ?? 'no endpoint yet',
      ageMs: msBetween(startedAt, now),
      backend: backend.name,
      attempt: attempts,
      state: reply && !hasResponded ? 'ended' : state,
      ...(hasResponded && { respondedMs: msBetween(respondedAt, now) }),
      ...(timedOut && { timedOut }),
    },
  ]
}
