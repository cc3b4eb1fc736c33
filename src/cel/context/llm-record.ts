import type { LlmCost, LlmAttributes, LlmParams } from '../../model/llm/llm-attributes.ts'
import { dynamicList } from './dynamic-field.ts'
import { durationField, type Field, integer, nested, number, celRecordOf, textField } from './record.ts'

const params = celRecordOf<LlmParams>('LlmParams', {
  temperature: number('Temperature.', (p) => p.temperature),
  top_p: number('Share of probability that is sampled from.', (p) => p.top_p),
  frequency_penalty: number('Penalty for frequent tokens.', (p) => p.frequency_penalty),
  presence_penalty: number('Penalty for tokens that occurred.', (p) => p.presence_penalty),
  seed: integer('Seed.', (p) => p.seed),
  max_tokens: integer('Most tokens of the answer.', (p) => p.max_tokens),
  encoding_format: textField(
    'How embeddings are written, such as `float` or `base64`.',
    (p) => p.encoding_format,
  ),
  dimensions: integer('Dimensions of embeddings.', (p) => p.dimensions),
})

const money = (of: string): Record<Exclude<keyof LlmCost, 'total'>, Field<LlmCost>> => ({
  input: number(`${of} input tokens.`, (c) => c.input),
  output: number(`${of} output tokens.`, (c) => c.output),
  cacheRead: number(`${of} input read from a cache.`, (c) => c.cacheRead),
  cacheWrite: number(`${of} input written to a cache.`, (c) => c.cacheWrite),
  reasoning: number(`${of} reasoning.`, (c) => c.reasoning),
  inputAudio: number(`${of} audio in.`, (c) => c.inputAudio),
  outputAudio: number(`${of} audio out.`, (c) => c.outputAudio),
})

const cost = celRecordOf<LlmCost>('LlmCost', {
  total: number('US dollars for everything.', (c) => c.total),
  ...money('US dollars for'),
})

const costRates = celRecordOf<LlmCost>('LlmCostRates', money('US dollars for a million tokens of'))

/** A call of a language model. */
export const llmRecord = celRecordOf<LlmAttributes>('Llm', {
  streaming: { type: 'bool', description: 'Whether the answer is a stream.', read: (l) => l.streaming },
  requestModel: textField('The model that was asked for.', (l) => l.requestModel),
  responseModel: textField('The model that answered.', (l) => l.responseModel),
  provider: textField('The provider.', (l) => l.provider),
  serviceTier: textField('The service tier.', (l) => l.serviceTier),
  inputTokens: integer('Tokens of the prompt.', (l) => l.inputTokens),
  providerInputTokens: integer('The same, as the provider said it.', (l) => l.providerInputTokens),
  inputImageTokens: integer('Of these, images.', (l) => l.inputImageTokens),
  inputTextTokens: integer('Of these, text.', (l) => l.inputTextTokens),
  inputAudioTokens: integer('Of these, audio.', (l) => l.inputAudioTokens),
  cachedInputTokens: integer('Tokens of the prompt that came from a cache.', (l) => l.cachedInputTokens),
  cacheCreationInputTokens: integer(
    'Tokens of the prompt written to a cache.',
    (l) => l.cacheCreationInputTokens,
  ),
  outputTokens: integer('Tokens of the answer.', (l) => l.outputTokens),
  outputImageTokens: integer('Of these, images.', (l) => l.outputImageTokens),
  outputTextTokens: integer('Of these, text.', (l) => l.outputTextTokens),
  outputAudioTokens: integer('Of these, audio.', (l) => l.outputAudioTokens),
  reasoningTokens: integer('Tokens of the answer that were spent on reasoning.', (l) => l.reasoningTokens),
  totalTokens: integer('Tokens of prompt and answer.', (l) => l.totalTokens),
  providerTotalTokens: integer('The same, as the provider said it.', (l) => l.providerTotalTokens),
  countTokens: integer('The answer to a request that only counts tokens.', (l) => l.countTokens),
  timeToFirstToken: durationField('Until the first token of the answer.', (l) => l.timeToFirstTokenMs),
  timePerOutputToken: durationField('For each token after the first.', (l) => l.timePerOutputTokenMs),
  prompt: dynamicList('Messages, each with `role` and `content`. Expensive.', (l) => l.prompt),
  completion: dynamicList('Texts of the answer. Expensive.', (l) => l.completion),
  toolCalls: dynamicList(
    'Tools the model asked for, each with `id`, `name` and `arguments`. Expensive.',
    (l) => l.toolCalls,
  ),
  params: nested(params, 'Parameters of the request.', (l) => l.params),
  cost: nested(cost, 'What the call cost.', (l) => l.cost),
  costRates: nested(costRates, 'What tokens cost.', (l) => l.costRates),
})

/** Record types of this variable, the nested ones first. */
export const llmRecordTypes = [params, cost, costRates, llmRecord] as const
