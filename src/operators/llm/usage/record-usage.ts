import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { LlmCall } from '../../../model/llm/llm-call.ts'
import type { ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import { type Usage, withoutCaches } from '../../../protocols/llm/usage.ts'

/** Records the attributes of a response where logs, metrics, limits and expressions read them. */
export const recordUsage = (x: Exchange, call: LlmCall, attributes: ReplyAttributes): void => {
  const { model, serviceTier } = attributes
  const usage = attributes.usage && printedUsage(x, attributes.usage)
  if (model !== undefined && model !== '') call.responseModel = model
  if (serviceTier !== undefined) call.serviceTier = serviceTier
  if (!usage) return
  call.inputTokens = usage.inputTokens
  call.providerInputTokens = usage.providerInputTokens
  call.inputTextTokens = usage.inputTextTokens
  call.inputImageTokens = usage.inputImageTokens
  call.inputAudioTokens = usage.inputAudioTokens
  call.cachedInputTokens = usage.cachedInputTokens
  call.cacheCreationInputTokens = usage.cacheCreationInputTokens
  call.outputTokens = usage.outputTokens
  call.outputTextTokens = usage.outputTextTokens
  call.outputImageTokens = usage.outputImageTokens
  call.outputAudioTokens = usage.outputAudioTokens
  call.reasoningTokens = usage.reasoningTokens
  call.totalTokens = usage.totalTokens ?? sum(usage.inputTokens, usage.outputTokens)
  call.providerTotalTokens = usage.providerTotalTokens
}

/** The usage to show and count; prices are computed from all of it. */
export const printedUsage = ({ snapshot }: Exchange, usage: Usage): Usage =>
  snapshot.resources.cachesAsProvider ? withoutCaches(usage) : usage

const sum = (input: number | undefined, output: number | undefined): number | undefined =>
  input === undefined || output === undefined ? undefined : input + output
