import type { Body } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmUsageRecord } from '../../../model/llm/usage-record.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { watchBody } from '../../../pipeline/tap-body.ts'

/** Traces the provider, the model and the format of a request. Called when the request is the provider's. */
export const traceLlmRequest = ({ probe, protocol }: Exchange, before: Body): void => {
  const { llm } = protocol
  if (!probe || !llm) return
  const { provider = '', type, upstreamFormat, requestModel = '', streaming = false } = llm
  probe.record({ type: 'llmRouteResolved', provider, routeType: word(type) })
  if (probe.includesBodies) watchBody(before, probe, 'llm request before translation')
  probe.record({
    type: 'llmRequestDetected',
    provider,
    inputFormat: word(type),
    upstreamRouteType: word(upstreamFormat ?? type),
    requestModel,
    streaming,
  })
}

/** Traces the beginning of a stream, and the provider's own bytes. */
export const traceLlmReply = (
  { probe, protocol, reply }: Exchange,
  stream: 'sseJson' | 'awsEventStream' | undefined,
): void => {
  const { llm } = protocol
  if (!probe || !llm || !reply) return
  const { provider = '', type, upstreamFormat } = llm
  if (stream)
    probe.record({
      type: 'llmStreamingTranslation',
      provider,
      inputFormat: word(type),
      upstreamRouteType: word(upstreamFormat ?? type),
      streamFormat: stream,
    })
  if (probe.includesBodies) reply.body = watchBody(reply.body, probe, 'llm raw response')
}

/** Traces that another provider is tried, and why. */
export const traceFailover = ({ probe }: Exchange, after: string, why: string): void =>
  probe?.record({
    type: 'policyEvent',
    kind: 'llm_failover',
    details: `another provider after ${after}: ${why}`,
  })

/** Traces that a model is not called because its price is unknown. */
export const traceUnpriced = ({ probe }: Exchange, provider: string, model: string | undefined): void =>
  probe?.record({ type: 'policyEvent', kind: 'llm_unknown_price', details: { provider, model } })

/** Traces the cost of an attempt, or why that is unknown. */
export const traceCost = ({ probe }: Exchange, record: LlmUsageRecord): void => {
  if (!probe || record.priceStatus === undefined) return
  const { provider, requestModel, responseModel, priceStatus, cost } = record
  const model = responseModel ?? requestModel
  const reason = reasons[priceStatus]
  probe.record({
    type: 'policyEvent',
    kind: 'llm_cost',
    details: { provider, model, status: priceStatus, ...(reason && { reason }), ...(cost && { cost }) },
  })
}

const reasons = {
  exact: undefined,
  unpriced: 'the catalog has no figure for some of the tokens',
  missing: 'the model is not in the catalog',
  noCatalog: 'no model catalog',
} as const

/** The trace's form: `Completions`. */
const word = (type: LlmRouteType): string => type.charAt(0).toUpperCase() + type.slice(1)
