import type { LlmUsageRecord } from '../../../model/llm/usage-record.ts'
import { llmPrice } from '../../../protocols/llm/cost.ts'
import { printedUsage } from './record-usage.ts'
import { traceCost } from './trace-llm.ts'
import { recordModelUsage } from './span-usage.ts'
import type { OnAttemptEnd } from '../routing/provider-call.ts'

/**
 * Records the usage and cost of an attempt: one record each, for the model that served it. The call itself has the last
 * one. Prices are those of the configuration that the exchange began under.
 */
export const recordCost: OnAttemptEnd = (
  x,
  { candidate },
  { attributes, startedAt, beganAt, endedAt, outcome },
) => {
  const { llm } = x.protocol
  if (!llm) return
  const provider = candidate.provider.telemetryName
  const { requestModel } = llm
  const { model: responseModel } = attributes
  const price =
    attributes.usage &&
    llmPrice(x.snapshot.resources.modelCatalog, { provider, requestModel, responseModel }, attributes.usage)
  const usage = attributes.usage ? printedUsage(x, attributes.usage) : {}
  const record: LlmUsageRecord = {
    provider,
    requestModel,
    responseModel,
    usage,
    cost: price?.cost,
    priceStatus: price?.status,
    durationMs: endedAt - startedAt,
    timeToFirstTokenMs: beganAt === undefined ? undefined : beganAt - startedAt,
    outcome,
  }
  llm.records.push(record)
  if (x.span?.lastAttempt) recordModelUsage(x.span.lastAttempt, record)
  traceCost(x, record)
  if (price) {
    llm.cost = price.cost
    llm.costRates = price.rates
    llm.priceStatus = price.status
  }
  // Last: limits may depend on what was recorded above.
  if (attributes.usage || mayHaveUsed[outcome]) x.policy.tokenQuota?.used(tokensOf(usage))
}

/** Whether tokens were used although no usage was reported. */
const mayHaveUsed = { answered: true, cut: true, abandoned: true, refused: false, failed: false } as const

const tokensOf = ({ totalTokens, inputTokens, outputTokens }: LlmUsageRecord['usage']): number | undefined =>
  inputTokens === undefined && outputTokens === undefined
    ? totalTokens
    : Math.max(totalTokens ?? 0, (inputTokens ?? 0) + (outputTokens ?? 0))
