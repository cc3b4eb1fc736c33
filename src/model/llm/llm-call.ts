import type { LlmCost, LlmAttributes, LlmParams } from './llm-attributes.ts'
import type { LlmUsageRecord } from './usage-record.ts'
import type { LlmRouteType } from './llm-backend.ts'

/** What an exchange asks of a language model, and what became of it. Filled in as it goes on. */
export class LlmCall implements LlmAttributes {
  /** How the client wrote the request. */
  readonly type: LlmRouteType
  streaming: boolean | undefined = undefined
  /** As the client called it. */
  userModel: string | undefined = undefined
  /** As the provider was asked for it. */
  requestModel: string | undefined = undefined
  responseModel: string | undefined = undefined
  /** How the provider is asked; undefined: as the client asks. */
  upstreamFormat: LlmRouteType | undefined = undefined
  /** As telemetry calls it. */
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
  /** What a request that only counts was answered. */
  countTokens: number | undefined = undefined
  timeToFirstTokenMs: number | undefined = undefined
  timePerOutputTokenMs: number | undefined = undefined
  cost: LlmCost | undefined = undefined
  costRates: Omit<LlmCost, 'total'> | undefined = undefined
  /** Of the price: found, found without figures, not found, or nothing to look in. Undefined: not looked for. */
  priceStatus: 'exact' | 'unpriced' | 'missing' | 'noCatalog' | undefined = undefined
  /** The client's body, parsed; as long as expressions may ask for it. */
  request: object | undefined = undefined
  /** Fields that a translation had to leave out, of the request and the answer. */
  dropped: readonly string[] = []
  /** What each attempt used, in order: metrics charge it to the model that served. */
  readonly records: LlmUsageRecord[] = []
  /** Somebody reads what the answer says: it is to be kept. */
  keepsReply = false
  #readPrompt: (() => readonly object[]) | undefined = undefined
  #readReply: (() => LlmContent) | undefined = undefined

  constructor(type: LlmRouteType) {
    this.type = type
  }

  /** Embeddings, or a conversation; as telemetry calls it. */
  get operation(): 'chat' | 'embeddings' | 'rerank' | 'count_tokens' | 'realtime' | 'unknown' {
    return operations[this.type]
  }

  /** Messages, each with `role` and `content`. */
  get prompt(): readonly object[] | undefined {
    return this.#readPrompt?.()
  }

  /** The texts of the answer. */
  get completion(): readonly unknown[] | undefined {
    return this.#readReply?.().completion
  }

  /** The tools that the answer asks for, each with `id`, `name` and `arguments`. */
  get toolCalls(): readonly object[] | undefined {
    return this.#readReply?.().toolCalls
  }

  /** What the request says of how the model is to answer; undefined where it says nothing. */
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

  /** How the prompt is had if somebody asks for it. */
  promptFrom(read: () => readonly object[]): void {
    let prompt: readonly object[] | undefined
    this.#readPrompt = () => (prompt ??= read())
  }

  /** How the answer is had if somebody asks for it. */
  replyFrom(read: () => LlmContent): void {
    this.#readReply = read
  }
}

/** What a request says of how the model is to answer. */
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

/** What an answer says, for expressions. */
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
