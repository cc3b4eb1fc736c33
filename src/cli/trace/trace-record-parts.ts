import type { LlmCostEvent } from '../../model/trace/policy-event.ts'
import type { TraceEvent } from '../../model/trace/trace-event.ts'

/** A stage that ran, or was skipped. */
export interface StageRecord {
  readonly kind: string
  readonly verdict: 'applied' | 'skipped'
  /** What it did, or why not. */
  readonly text: string
  readonly startUs: number
  readonly endUs: number
  /** Its own time, if the gateway reports it. */
  readonly tookUs: number | undefined
  /** Of the reply that it made. */
  readonly status: number | null
  readonly code: string | null
}

/** A call to an upstream. */
export interface AttemptRecord {
  readonly target: string
  readonly startUs: number
  /** Undefined while it is under way. */
  readonly endUs: number | undefined
  readonly status: number | null
  readonly error: string | null
}

/** What is known about a request to language models; of several providers the last. */
export interface LlmRecord {
  readonly provider: string
  readonly routeType: string
  readonly inputFormat: string
  readonly upstreamFormat: string
  readonly model: string
  readonly isStreaming: boolean
  readonly cost: LlmCostEvent | undefined
}

/** The stages in the order in which they ended. */
export const stagesOf = (events: readonly TraceEvent[]): readonly StageRecord[] =>
  events.flatMap(({ message, eventStart, eventEnd }) => {
    if (message.type !== 'policy') return []
    const { kind, result, tookUs, status = null, code = null } = message
    return [
      {
        kind,
        verdict: result.type === 'apply' ? 'applied' : 'skipped',
        text: result.type === 'apply' ? result.details : result.reason,
        startUs: eventStart ?? eventEnd - (tookUs ?? 0),
        endUs: eventEnd,
        tookUs,
        status,
        code,
      },
    ]
  })

/** The calls to upstreams. A result belongs to the first call that has none yet. */
export const attemptsOf = (events: readonly TraceEvent[]): readonly AttemptRecord[] => {
  const attempts: AttemptRecord[] = []
  for (const { message, eventStart, eventEnd } of events) {
    if (message.type === 'backendCallStart')
      attempts.push({
        target: message.target,
        startUs: eventEnd,
        endUs: undefined,
        status: null,
        error: null,
      })
    if (message.type !== 'backendCallResult') continue
    const { status, error } = message
    const index = attempts.findIndex(({ endUs }) => endUs === undefined)
    const open = attempts[index]
    if (open) attempts[index] = { ...open, endUs: eventEnd, status, error }
    else attempts.push({ target: '', startUs: eventStart ?? eventEnd, endUs: eventEnd, status, error })
  }
  return attempts
}

/** The attributes of a request to language models; undefined for others. */
export const llmOf = (events: readonly TraceEvent[]): LlmRecord | undefined => {
  let record: LlmRecord | undefined
  const update = (fields: Partial<LlmRecord>) => {
    record = { ...(record ?? unknownLlm), ...fields }
  }
  for (const { message } of events) {
    if (message.type === 'llmRouteResolved')
      update({ provider: message.provider, routeType: message.routeType })
    if (message.type === 'llmRequestDetected') {
      const { provider, inputFormat, requestModel: model, streaming: isStreaming } = message
      update({
        provider,
        inputFormat,
        model,
        isStreaming,
        upstreamFormat: message.upstreamRouteType ?? inputFormat,
      })
    }
    if (message.type === 'policyEvent' && message.kind === 'llm_cost') update({ cost: message.details })
  }
  return record
}

const unknownLlm: LlmRecord = {
  provider: '',
  routeType: '',
  inputFormat: '',
  upstreamFormat: '',
  model: '',
  isStreaming: false,
  cost: undefined,
}
