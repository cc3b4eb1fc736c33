import type { Exchange } from '../exchange/exchange.ts'
import type { TraceMessage } from '../trace/trace-event.ts'

/** Whether a request is recorded, and whether its caller or chance decided it. */
export type SamplingDecision = Extract<TraceMessage, { type: 'traceSampling' }>['decision']

/** Begins the server spans of requests. */
export interface RequestTracing {
  /** Sets `x.span` if the request is sampled, and the trace context of its header. */
  begin(x: Exchange): SamplingDecision
}
