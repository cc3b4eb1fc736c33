/** The trace events of running gateways, for monitors and tools. */
export { concatMapBounded } from './concat-map-bounded.ts'
export type { TraceEventsOptions, TraceStreamState } from './trace-events-options.ts'
export { traceEvents } from './trace-events.ts'
export { TraceStreamError, type TraceStreamReason } from './trace-stream-error.ts'
export type { A2aOutcome, GuardrailCheck, LlmCostEvent, PolicyEvent } from '../model/trace/policy-event.ts'
export type { PolicyResult, RuleResult, TraceEvent, TraceMessage } from '../model/trace/trace-event.ts'
export type { TraceState } from '../model/trace/trace-state.ts'
