import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { textIn } from '../../json/typed-values.ts'
import type {
  ReplyAttributes,
  RequestAttributes,
  ProviderRequestLine,
  StreamAttributes,
} from '../chat/codec.ts'
import { finalUsage, usageIn } from './usage.ts'

/** The attributes of a request; invalid numbers are ignored, since the provider refuses them. */
export const requestAttributes = (body: JsonObject, target: ProviderRequestLine): RequestAttributes => {
  const config = jsonObjectOr(body.generationConfig ?? body.generation_config)
  const figure = (name: string, other: string): number | undefined => {
    const value = config[name] ?? config[other]
    return typeof value === 'number' ? value : undefined
  }
  return {
    model: target.model ?? textIn(body.model)?.replace(/^models\//, ''),
    streaming: target.streaming ?? false,
    temperature: figure('temperature', 'temperature'),
    topP: figure('topP', 'top_p'),
    frequencyPenalty: figure('frequencyPenalty', 'frequency_penalty'),
    presencePenalty: figure('presencePenalty', 'presence_penalty'),
    seed: figure('seed', 'seed'),
    maxTokens: figure('maxOutputTokens', 'max_output_tokens'),
  }
}

/** The attributes of a whole response. */
export const replyAttributes = (body: JsonObject): ReplyAttributes => ({
  model: textIn(body.modelVersion ?? body.model_version),
  usage: finalUsage(usageIn(body.usageMetadata ?? body.usage_metadata)),
})

/**
 * Collects the attributes of a stream. Every chunk has usage, of which the last counts: chunks are stored unparsed, and
 * only the needed ones are parsed.
 */
export class GenerateContentStreamAttributes implements StreamAttributes {
  /** The last chunk with figures. */
  #latest: string | undefined = undefined
  #latestAttributes: ReplyAttributes = {}
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

  get attributes(): ReplyAttributes {
    if (this.#latest !== undefined) {
      const chunk = readJsonObject(this.#latest) ?? {}
      this.#latestAttributes = {
        model: textIn(chunk.modelVersion ?? chunk.model_version) ?? this.#latestAttributes.model,
        usage: usageIn(chunk.usageMetadata ?? chunk.usage_metadata) ?? this.#latestAttributes.usage,
      }
      this.#latest = undefined
    }
    if (!this.#isComplete) return this.#latestAttributes
    return { ...this.#latestAttributes, usage: finalUsage(this.#latestAttributes.usage) }
  }

  get isComplete(): boolean {
    return this.#isComplete
  }
}

/** The names may also occur in the arguments of a call, so the location is checked. */
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
