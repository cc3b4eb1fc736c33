import type { LlmCall } from '../../../model/llm/llm-call.ts'
import type { LlmUsageRecord } from '../../../model/llm/usage-record.ts'
import type { Span, SpanAttribute } from '../../../model/tracing/span.ts'

/** Names the span of a model call, and describes its request, as OpenTelemetry's conventions for GenAI have it. */
export const describeModelCall = (span: Span, llm: LlmCall): void => {
  const { operation, requestModel, params } = llm
  if (operation !== 'unknown') {
    set(span, 'gen_ai.operation.name', operation)
    span.name = requestModel === undefined ? operation : `${operation} ${shortened(requestModel)}`
  }
  set(span, 'gen_ai.provider.name', llm.provider)
  set(span, 'gen_ai.request.model', requestModel && shortened(requestModel))
  if (llm.streaming) set(span, 'gen_ai.request.stream', true)
  set(span, 'gen_ai.request.temperature', params?.temperature)
  set(span, 'gen_ai.request.top_p', params?.top_p)
  set(span, 'gen_ai.request.max_tokens', params?.max_tokens)
  set(span, 'gen_ai.request.frequency_penalty', params?.frequency_penalty)
  set(span, 'gen_ai.request.presence_penalty', params?.presence_penalty)
  set(span, 'gen_ai.request.seed', params?.seed)
  set(span, 'gen_ai.embeddings.dimension.count', params?.dimensions)
}

/** Records usage, cost and outcome of a model call. */
export const recordModelUsage = (span: Span, record: LlmUsageRecord): void => {
  const { usage, cost } = record
  set(span, 'gen_ai.response.model', record.responseModel && shortened(record.responseModel))
  set(span, 'gen_ai.usage.input_tokens', usage.inputTokens)
  set(span, 'gen_ai.usage.cache_creation.input_tokens', usage.cacheCreationInputTokens)
  set(span, 'gen_ai.usage.cache_read.input_tokens', usage.cachedInputTokens)
  set(span, 'gen_ai.usage.output_tokens', usage.outputTokens)
  set(span, 'gen_ai.usage.reasoning_tokens', usage.reasoningTokens)
  if (record.timeToFirstTokenMs !== undefined)
    set(span, 'gen_ai.response.time_to_first_chunk', record.timeToFirstTokenMs / 1000)
  set(span, 'agw.ai.usage.cost.total', cost?.total)
  set(span, 'agw.ai.usage.cost.input', cost?.input)
  set(span, 'agw.ai.usage.cost.output', cost?.output)
  set(span, 'agw.ai.outcome', record.outcome)
}

const set = ({ attributes }: Span, name: string, value: SpanAttribute | undefined): void => {
  if (value !== undefined && (typeof value !== 'number' || Number.isFinite(value))) attributes[name] = value
}

/** Clients choose names of models. */
const shortened = (name: string): string => (name.length > 256 ? `${name.slice(0, 256)}…` : name)
