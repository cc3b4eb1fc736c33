import type { Body } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmUsageRecord } from '../../../model/llm/usage-record.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import { watchBody } from '../../../pipeline/tap-body.ts'

/** Tells watchers what is asked, of whom, and how. Called where the request is the provider's already. */
export const traceLlmRequest = ({ probe, protocol }: Exchange, before: Body): void => {
  const { llm } = protocol
  if (!probe || !llm) return
  const { provider = '', type, upstreamFormat, requestModel = '', streaming = false } = llm
  probe.note({ type: 'llmRouteResolved', provider, routeType: word(type) })
  if (probe.wantsBodies) watchBody(before, probe, 'llm request before translation')
  probe.note({
    type: 'llmRequestDetected',
    provider,
    inputFormat: word(type),
    upstreamRouteType: word(upstreamFormat ?? type),
    requestModel,
    streaming,
  })
}

/** Tells watchers that a stream comes, and shows them the provider's own bytes. */
export const traceLlmReply = (
  { probe, protocol, reply }: Exchange,
  stream: 'sseJson' | 'awsEventStream' | undefined,
): void => {
  const { llm } = protocol
  if (!probe || !llm || !reply) return
  const { provider = '', type, upstreamFormat } = llm
  if (stream)
    probe.note({
      type: 'llmStreamingTranslation',
      provider,
      inputFormat: word(type),
      upstreamRouteType: word(upstreamFormat ?? type),
      streamFormat: stream,
    })
  if (probe.wantsBodies) reply.body = watchBody(reply.body, probe, 'llm raw response')
}

/** Tells watchers that somebody else is asked, and why. */
export const traceFailover = ({ probe }: Exchange, after: string, why: string): void =>
  probe?.note({
    type: 'policyEvent',
    kind: 'llm_failover',
    details: `another provider after ${after}: ${why}`,
  })

/** Tells watchers that a model is not asked because nobody knows what it costs. */
export const traceUnpriced = ({ probe }: Exchange, provider: string, model: string | undefined): void =>
  probe?.note({ type: 'policyEvent', kind: 'llm_unknown_price', details: { provider, model } })

/** Tells watchers what an attempt cost, or why that is not known. */
export const traceCost = ({ probe }: Exchange, record: LlmUsageRecord): void => {
  if (!probe || record.priceStatus === undefined) return
  const { provider, requestModel, responseModel, priceStatus, cost } = record
  const model = responseModel ?? requestModel
  const reason = reasons[priceStatus]
  probe.note({
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

/** As the trace writes them: `Completions`. */
const word = (type: LlmRouteType): string => type.charAt(0).toUpperCase() + type.slice(1)
