import type { LlmUsageRecord } from '../../../model/llm/usage-record.ts'
import { llmPrice } from '../../../protocols/llm/cost.ts'
import { printedUsage } from './record-usage.ts'
import { traceCost } from './trace-llm.ts'
import type { OnAttemptEnd } from '../routing/provider-call.ts'

/**
 * Enters into the books what an attempt used and cost: one record each, for the model that served it. The call itself
 * shows the last one. Prices are those of the configuration that the exchange began under.
 */
export const recordCost: OnAttemptEnd = (
  x,
  { candidate },
  { facts, startedAt, beganAt, endedAt, outcome },
) => {
  const { llm } = x.protocol
  if (!llm) return
  const provider = candidate.provider.telemetryName
  const { requestModel } = llm
  const { model: responseModel } = facts
  const price =
    facts.usage &&
    llmPrice(x.snapshot.resources.modelCatalog, { provider, requestModel, responseModel }, facts.usage)
  const usage = facts.usage ? printedUsage(x, facts.usage) : {}
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
  traceCost(x, record)
  if (price) {
    llm.cost = price.cost
    llm.costRates = price.rates
    llm.priceStatus = price.status
  }
  // Last: limits may go by what was entered above.
  if (facts.usage || mayHaveUsed[outcome]) x.policy.tokenQuota?.used(tokensOf(usage))
}

/** Whether tokens were used although nobody said how many. */
const mayHaveUsed = { answered: true, cut: true, abandoned: true, refused: false, failed: false } as const

const tokensOf = ({ totalTokens, inputTokens, outputTokens }: LlmUsageRecord['usage']): number | undefined =>
  inputTokens === undefined && outputTokens === undefined
    ? totalTokens
    : Math.max(totalTokens ?? 0, (inputTokens ?? 0) + (outputTokens ?? 0))
