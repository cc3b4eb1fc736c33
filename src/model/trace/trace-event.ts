import type { JsonMembers, JsonValue } from '../json-value.ts'
import type { PolicyEvent } from './policy-event.ts'
import type { TraceState } from './trace-state.ts'

/** One event of a traced exchange: the wire format of `/debug/trace`, and the library's trace type. */
export interface TraceEvent {
  /** Microseconds since the exchange was admitted; null unless the event spans a time. */
  readonly eventStart: number | null
  readonly eventEnd: number
  readonly severity: 'success' | 'info' | 'warn' | 'error'
  readonly scope?: readonly string[]
  readonly message: TraceMessage
  /** The request this event belongs to, unique within the process. */
  readonly requestId: string
}

/** The result of a policy. */
export type PolicyResult =
  | { readonly type: 'apply'; readonly details: string; readonly snapshot: JsonValue }
  | { readonly type: 'skip'; readonly reason: string }

/**
 * The result of one authorization rule. `error` says why it could not be evaluated, which counts against the caller.
 */
export interface RuleResult {
  /** The rule's source text. */
  readonly name: string
  /** Its index among the rules in force, from 0. */
  readonly index: number
  readonly mode: 'allow' | 'deny' | 'require'
  readonly matched: boolean
  readonly error?: string
}

/** What happened. Consumers must expect types they do not know. */
export type TraceMessage =
  | { readonly type: 'requestStarted' }
  | { readonly type: 'requestSnapshot'; readonly stage: string; readonly requestState: TraceState }
  | { readonly type: 'responseSnapshot'; readonly stage: string; readonly requestState: TraceState }
  /** A body in base64; only its first bytes if `lengthBytes`, the total, is larger. */
  | {
      readonly type: 'bodySnapshot'
      readonly stage: string
      readonly body: string
      readonly lengthBytes?: number
    }
  | { readonly type: 'policySelection'; readonly phase: string; readonly effectivePolicy: JsonMembers }
  | {
      readonly type: 'routeSelection'
      readonly selectedRoute: string | null
      readonly evaluatedRoutes: readonly string[]
      /** Why others were not selected, by key; only of the first 32. */
      readonly notSelected?: Readonly<Record<string, string>>
    }
  /** A policy ran. `tookUs` is its own time in microseconds; status and code are those of its reply, if any. */
  | {
      readonly type: 'policy'
      readonly kind: string
      readonly result: PolicyResult
      readonly tookUs?: number
      readonly status?: number | null
      readonly code?: string | null
    }
  | PolicyEvent
  /** Whether the request is part of a recorded trace, and who decided it. */
  | {
      readonly type: 'traceSampling'
      readonly decision:
        'sample (client)' | 'sample (random)' | 'not sampled (client)' | 'not sampled (random)'
    }
  /** Authorization rules were evaluated, in this order, the last one deciding; long lists show only the last ones. */
  | {
      readonly type: 'authorizationResult'
      readonly rules: readonly RuleResult[]
      readonly result: 'allow' | 'deny'
      readonly omitted?: number
    }
  /**
   * An expression was evaluated, in this state of the exchange. Results that are texts or collections show kind and
   * size only.
   */
  | {
      readonly type: 'cel'
      readonly expr: string
      readonly requestState: TraceState
      readonly result: JsonValue
    }
  /** The type of a language model request, by its path, and the chosen provider. */
  | { readonly type: 'llmRouteResolved'; readonly provider: string; readonly routeType: string }
  /** The parsed request. `upstreamRouteType` is the format sent to the provider. */
  | {
      readonly type: 'llmRequestDetected'
      readonly provider: string
      readonly inputFormat: string
      readonly upstreamRouteType?: string
      readonly requestModel: string
      readonly streaming: boolean
    }
  /** The response is a stream of events. */
  | {
      readonly type: 'llmStreamingTranslation'
      readonly provider: string
      readonly inputFormat: string
      readonly upstreamRouteType?: string
      readonly streamFormat: 'sseJson' | 'awsEventStream'
    }
  | { readonly type: 'backendCallStart'; readonly target: string }
  | { readonly type: 'backendCallResult'; readonly status: number | null; readonly error: string | null }
  | {
      readonly type: 'requestFinished'
      readonly status: number | null
      readonly error: string | null
      readonly code?: string | null
    }
  /** A subscriber read too slowly and lost this many events. */
  | { readonly type: 'dropped'; readonly count: number }

/** What a stage records through its probe: as in {@link TraceMessage}, before it is encoded. */
export type TraceEntry =
  | Exclude<TraceMessage, { type: 'policySelection' | 'cel' | 'requestSnapshot' | 'responseSnapshot' }>
  | { readonly type: 'policySelection'; readonly phase: string; readonly effectivePolicy: object }
  /** The probe adds the state. */
  | { readonly type: 'cel'; readonly expr: string; readonly result: unknown }
