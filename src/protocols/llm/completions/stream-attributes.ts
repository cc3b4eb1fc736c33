import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { ReplyAttributes, StreamAttributes } from '../chat/codec.ts'
import { mergeUsage, type Usage } from '../usage.ts'
import { errorInStead } from './errors.ts'
import { replyAttributes } from './attributes.ts'

/**
 * Collects the attributes of a stream in this format. Once the model is known, only chunks with usage, an end or an
 * error matter; most chunks have `"usage":null` and are not decoded.
 */
export class CompletionsStreamAttributes implements StreamAttributes {
  #model: string | undefined = undefined
  #usage: Usage | undefined = undefined
  #serviceTier: string | undefined = undefined
  #isComplete = false

  get attributes(): ReplyAttributes {
    return { model: this.#model, usage: this.#usage, serviceTier: this.#serviceTier }
  }

  /** An error is an end, too: the provider sent it itself. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  concerns(events: Buffer): boolean {
    // One search over Latin-1, including its copy, takes a third of the time of one byte search for each of these.
    return this.#model === undefined || ofInterest.test(events.toString('latin1'))
  }

  push(name: string | undefined, data: string): void {
    if (name === 'error' || data === '[DONE]') {
      this.#isComplete = true
      return
    }
    const chunk = readJsonObject(data)
    if (!chunk) return
    const { model, usage, serviceTier } = replyAttributes(chunk)
    this.#model ??= model
    this.#serviceTier = serviceTier ?? this.#serviceTier
    if (usage) this.#usage = mergeUsage(this.#usage, usage)
    if (isFinished(chunk) || errorInStead(chunk)) this.#isComplete = true
  }
}

const isFinished = ({ choices }: JsonObject): boolean =>
  Array.isArray(choices) &&
  choices.some((choice) => {
    const reason = jsonObjectOr(choice).finish_reason
    return typeof reason === 'string' && reason !== ''
  })

/**
 * Members with a value other than null, and the end. Quotation marks in texts are escaped: no text can match as a
 * member.
 */
const ofInterest = /"usage"\s*:\s*[^n\s]|"finish_reason"\s*:\s*[^n\s]|"error"|\[DONE\]/
