import type { LlmCost, LlmAttributes, LlmParams } from './llm-attributes.ts'
import type { LlmUsageRecord } from './usage-record.ts'
import type { LlmRouteType } from './llm-backend.ts'

/** The language model call of an exchange: request attributes and outcome. Filled in as it proceeds. */
export class LlmCall implements LlmAttributes {
  /** The format of the client's request. */
  readonly type: LlmRouteType
  streaming: boolean | undefined = undefined
  /** The model as the client named it. */
  userModel: string | undefined = undefined
  /** The model as sent to the provider. */
  requestModel: string | undefined = undefined
  responseModel: string | undefined = undefined
  /** The format of the provider's request; undefined: that of the client. */
  upstreamFormat: LlmRouteType | undefined = undefined
  /** The provider's name in telemetry. */
  provider: string | undefined = undefined
  serviceTier: string | undefined = undefined
  params: LlmParams | undefined = undefined
  inputTokens: number | undefined = undefined
  providerInputTokens: number | undefined = undefined
  inputImageTokens: number | undefined = undefined
  inputTextTokens: number | undefined = undefined
  inputAudioTokens: number | undefined = undefined
  cachedInputTokens: number | undefined = undefined
  cacheCreationInputTokens: number | undefined = undefined
  outputTokens: number | undefined = undefined
  outputImageTokens: number | undefined = undefined
  outputTextTokens: number | undefined = undefined
  outputAudioTokens: number | undefined = undefined
  reasoningTokens: number | undefined = undefined
  totalTokens: number | undefined = undefined
  providerTotalTokens: number | undefined = undefined
  /** The result of a token count request. */
  countTokens: number | undefined = undefined
  timeToFirstTokenMs: number | undefined = undefined
  timePerOutputTokenMs: number | undefined = undefined
  cost: LlmCost | undefined = undefined
  costRates: Omit<LlmCost, 'total'> | undefined = undefined
  /** Result of the price lookup: found, found without figures, not found, or no catalog. Undefined: not looked up. */
  priceStatus: 'exact' | 'unpriced' | 'missing' | 'noCatalog' | undefined = undefined
  /** The client's body, parsed; present as long as expressions may read it. */
  request: object | undefined = undefined
  /** Fields that a translation had to drop, of the request and the response. */
  dropped: readonly string[] = []
  /** Usage of each attempt, in order: metrics charge it to the model that served. */
  readonly records: LlmUsageRecord[] = []
  /** An expression or a log reads the response content, so it must be kept. */
  keepsReply = false
  #readPrompt: (() => readonly object[]) | undefined = undefined
  #readReply: (() => LlmContent) | undefined = undefined

  constructor(type: LlmRouteType) {
    this.type = type
  }

  /** The operation's name in telemetry. */
  get operation(): 'chat' | 'embeddings' | 'rerank' | 'count_tokens' | 'realtime' | 'unknown' {
    return operations[this.type]
  }

  /** Messages, each with `role` and `content`. */
  get prompt(): readonly object[] | undefined {
    return this.#readPrompt?.()
  }

  /** The texts of the response. */
  get completion(): readonly unknown[] | undefined {
    return this.#readReply?.().completion
  }

  /** The tool calls of the response, each with `id`, `name` and `arguments`. */
  get toolCalls(): readonly object[] | undefined {
    return this.#readReply?.().toolCalls
  }

  /** Sets the parameters from a parsed request; absent ones are undefined. */
  paramsFrom(parameters: LlmRequestParameters): void {
    const { temperature, topP, frequencyPenalty, presencePenalty, seed, maxTokens } = parameters
    this.params = {
      temperature,
      top_p: topP,
      frequency_penalty: frequencyPenalty,
      presence_penalty: presencePenalty,
      seed,
      max_tokens: maxTokens,
      encoding_format: parameters.encodingFormat,
      dimensions: parameters.dimensions,
    }
  }

  /** Sets the lazy reader of the prompt. */
  promptFrom(read: () => readonly object[]): void {
    let prompt: readonly object[] | undefined
    this.#readPrompt = () => (prompt ??= read())
  }

  /** Sets the lazy reader of the response. */
  replyFrom(read: () => LlmContent): void {
    this.#readReply = read
  }
}

/** Sampling parameters of a parsed request. */
export interface LlmRequestParameters {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly seed?: number | undefined
  readonly maxTokens?: number | undefined
  readonly encodingFormat?: string | undefined
  readonly dimensions?: number | undefined
}

/** Content of a response, for expressions. */
export interface LlmContent {
  readonly completion: readonly string[]
  readonly toolCalls: readonly object[]
}

const operations = {
  completions: 'chat',
  messages: 'chat',
  responses: 'chat',
  generateContent: 'chat',
  converse: 'chat',
  invoke: 'chat',
  embeddings: 'embeddings',
  rerank: 'rerank',
  anthropicTokenCount: 'count_tokens',
  geminiCountTokens: 'count_tokens',
  realtime: 'realtime',
  models: 'unknown',
  detect: 'unknown',
  passthrough: 'unknown',
} as const satisfies Record<LlmRouteType, string>
