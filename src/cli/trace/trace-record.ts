import type { AttemptRecord, LlmRecord, StageRecord } from './trace-record-parts.ts'
import { attemptsOf, llmOf, stagesOf } from './trace-record-parts.ts'
import type { McpStep } from '../../model/mcp/mcp-step.ts'
import type { JsonMembers } from '../../model/json-value.ts'
import type { RuleResult, TraceEvent, TraceMessage } from '../../model/trace/trace-event.ts'
import type { TraceState } from '../../model/trace/trace-state.ts'

/** A request as its trace events describe it. Times are microseconds since it arrived. */
export interface TraceRecord {
  /** `requestId`; empty in streams of gateways that have none. */
  readonly id: string
  readonly method: string
  readonly host: string
  /** With the query. */
  readonly path: string
  /** RFC 3339; empty if unknown. */
  readonly startTime: string
  readonly listener: string
  readonly bind: string
  readonly route: RouteRecord | undefined
  /** Policies in force, by phase, without those that are not configured. */
  readonly policies: readonly { readonly phase: string; readonly effective: JsonMembers }[]
  readonly stages: readonly StageRecord[]
  readonly authorizations: readonly {
    readonly result: 'allow' | 'deny'
    readonly rules: readonly RuleResult[]
  }[]
  readonly attempts: readonly AttemptRecord[]
  readonly llm: LlmRecord | undefined
  readonly mcp: readonly McpStep[]
  readonly snapshots: readonly SnapshotRecord[]
  readonly bodies: readonly BodyRecord[]
  /** Once the request has ended. */
  readonly end: EndRecord | undefined
  readonly events: readonly TraceEvent[]
}

/** The choice of a route. */
export interface RouteRecord {
  /** Null if none matched. */
  readonly selected: string | null
  readonly evaluated: readonly string[]
  /** Why others were not selected, by key; gateways explain only the first ones. */
  readonly reasons: Readonly<Record<string, string>>
}

/** The variables of expressions at a moment. */
export interface SnapshotRecord {
  readonly of: 'request' | 'response'
  readonly stage: string
  readonly atUs: number
  readonly state: TraceState
}

/** A body, or its beginning. */
export interface BodyRecord {
  readonly stage: string
  readonly bytes: Buffer
  readonly lengthBytes: number
}

/** How a request ended. */
export interface EndRecord {
  readonly status: number | null
  readonly error: string | null
  readonly code: string | null
  readonly atUs: number
}

/**
 * The record of a request, from its events in their order. Unknown events stay in `events` only.
 *
 * @example
 * traceRecord(events).attempts.map(({ target }) => target)
 */
export const traceRecord = (events: readonly TraceEvent[]): TraceRecord => {
  const snapshots = snapshotsOf(events)
  const { request } = snapshots.find(({ state }) => state.request !== undefined)?.state ?? {}
  // Other gateways leave it out of some snapshots.
  const proxies = snapshots.flatMap(({ state }) => (state.proxy as TraceState['proxy'] | undefined) ?? [])
  return {
    id: events.find(({ requestId }) => requestId)?.requestId ?? '',
    method: request?.method ?? '',
    host: request?.host ?? '',
    path: request?.pathAndQuery ?? '',
    startTime: request?.startTime ?? '',
    listener: proxies.findLast(({ listener }) => listener !== undefined)?.listener?.name ?? '',
    bind: proxies[0]?.bind ?? '',
    route: routeOf(events),
    policies: pick(events, 'policySelection').map(({ phase, effectivePolicy }) => ({
      phase,
      effective: Object.fromEntries(Object.entries(effectivePolicy).filter(([, value]) => isSet(value))),
    })),
    stages: stagesOf(events),
    authorizations: pick(events, 'authorizationResult').map(({ result, rules }) => ({ result, rules })),
    attempts: attemptsOf(events),
    llm: llmOf(events),
    mcp: pick(events, 'policyEvent').flatMap((message) => (message.kind === 'mcp' ? [message.details] : [])),
    snapshots,
    bodies: pick(events, 'bodySnapshot').map(bodyOf),
    end: endOf(events),
    events,
  }
}

const isSet = (value: unknown): boolean => value !== null && !(Array.isArray(value) && value.length === 0)

/** The messages of a type. */
const pick = <Type extends TraceMessage['type']>(
  events: readonly TraceEvent[],
  type: Type,
): readonly Extract<TraceMessage, { type: Type }>[] =>
  events.flatMap(({ message }) =>
    message.type === type ? [message as Extract<TraceMessage, { type: Type }>] : [],
  )

const routeOf = (events: readonly TraceEvent[]): RouteRecord | undefined => {
  const selection = pick(events, 'routeSelection').at(-1)
  return (
    selection && {
      selected: selection.selectedRoute,
      evaluated: selection.evaluatedRoutes,
      reasons: selection.notSelected ?? {},
    }
  )
}

const snapshotsOf = (events: readonly TraceEvent[]): readonly SnapshotRecord[] =>
  events.flatMap(({ message, eventEnd }) =>
    message.type === 'requestSnapshot' || message.type === 'responseSnapshot'
      ? [
          {
            of: message.type === 'requestSnapshot' ? 'request' : 'response',
            stage: message.stage,
            atUs: eventEnd,
            state: message.requestState,
          },
        ]
      : [],
  )

const bodyOf = ({ stage, body, lengthBytes }: Extract<TraceMessage, { type: 'bodySnapshot' }>) => {
  const bytes = Buffer.from(body, 'base64')
  return { stage, bytes, lengthBytes: lengthBytes ?? bytes.length }
}

const endOf = (events: readonly TraceEvent[]): EndRecord | undefined => {
  const event = events.findLast(({ message }) => message.type === 'requestFinished')
  if (event?.message.type !== 'requestFinished') return undefined
  const { status, error, code = null } = event.message
  return { status, error, code, atUs: event.eventEnd }
}
