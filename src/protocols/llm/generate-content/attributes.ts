import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { textIn } from '../../json/typed-values.ts'
import type { ReplyFacts, RequestFacts, RequestPlace, StreamFacts } from '../chat/codec.ts'
import { usageIn } from './usage.ts'

/** What a request says of itself; figures that are none are left out, for refusing them is the provider's. */
export const requestFacts = (body: JsonObject, place: RequestPlace): RequestFacts => {
  const config = jsonObjectOr(body.generationConfig ?? body.generation_config)
  const figure = (name: string, other: string): number | undefined => {
    const value = config[name] ?? config[other]
    return typeof value === 'number' ? value : undefined
  }
  return {
    model: place.model ?? textIn(body.model)?.replace(/^models\//, ''),
    streaming: place.streaming ?? false,
    temperature: figure('temperature', 'temperature'),
    topP: figure('topP', 'top_p'),
    frequencyPenalty: figure('frequencyPenalty', 'frequency_penalty'),
    presencePenalty: figure('presencePenalty', 'presence_penalty'),
    seed: figure('seed', 'seed'),
    maxTokens: figure('maxOutputTokens', 'max_output_tokens'),
  }
}

/** What a whole answer says of itself. */
export const replyFacts = (body: JsonObject): ReplyFacts => ({
  model: textIn(body.modelVersion ?? body.model_version),
  usage: usageIn(body.usageMetadata ?? body.usage_metadata),
})

/**
 * The same of a stream. Every chunk holds figures of usage, of which the last count: chunks are kept as they are, and
 * only what is asked for is parsed.
 */
export class GenerateContentStreamFacts implements StreamFacts {
  /** The last chunk with figures. */
  #latest: string | undefined = undefined
  #latestFacts: ReplyFacts = {}
  #isComplete = false

  concerns(event: Buffer): boolean {
    return (
      event.includes(USAGE) || event.includes(REASON) || event.includes(FEEDBACK) || event.includes(ERROR)
    )
  }

  push(_name: string | undefined, data: string): void {
    if (data.includes('"usageMetadata"')) this.#latest = data
    if (!this.#isComplete && endings.some((word) => data.includes(word))) this.#isComplete = isLast(data)
  }

  get facts(): ReplyFacts {
    if (this.#latest !== undefined) {
      const { model, usage } = replyFacts(readJsonObject(this.#latest) ?? {})
      this.#latestFacts = {
        model: model ?? this.#latestFacts.model,
        usage: usage ?? this.#latestFacts.usage,
      }
      this.#latest = undefined
    }
    return this.#latestFacts
  }

  get isComplete(): boolean {
    return this.#isComplete
  }
}

/** The words may also stand in the arguments of a call: what they are part of decides. */
const isLast = (data: string): boolean => {
  const { candidates, promptFeedback, error } = readJsonObject(data) ?? {}
  const [candidate] = Array.isArray(candidates) ? (candidates as unknown[]) : []
  return (
    jsonObjectIn(error) !== undefined ||
    jsonObjectOr(promptFeedback).blockReason !== undefined ||
    jsonObjectOr(candidate).finishReason !== undefined
  )
}

const USAGE = Buffer.from('"usageMetadata"')
const REASON = Buffer.from('"finishReason"')
const FEEDBACK = Buffer.from('"promptFeedback"')
const ERROR = Buffer.from('"error"')
const endings = ['"finishReason"', '"promptFeedback"', '"error"']
