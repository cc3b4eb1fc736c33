import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import type { ReplyFacts, StreamFacts } from '../chat/codec.ts'
import { mergeUsage, type Usage } from '../usage.ts'
import { errorInStead } from './decode-error.ts'
import { replyFacts } from './facts.ts'
import { hasMember } from './member-bytes.ts'

/**
 * Gathers the facts of a stream in this format. Once the first chunk has told the model, chunks matter that tell usage,
 * an end or an error; that most of them say `"usage":null` is no reason to decode them.
 */
export class CompletionsFacts implements StreamFacts {
  #model: string | undefined = undefined
  #usage: Usage | undefined = undefined
  #serviceTier: string | undefined = undefined
  #isComplete = false

  get facts(): ReplyFacts {
    return { model: this.#model, usage: this.#usage, serviceTier: this.#serviceTier }
  }

  /** An error is an end, too: the provider has said it itself. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  concerns(event: Buffer): boolean {
    return (
      this.#model === undefined ||
      hasMember(event, usageName) ||
      hasMember(event, finishName) ||
      event.includes(done) ||
      event.includes(error)
    )
  }

  push(name: string | undefined, data: string): void {
    if (name === 'error' || data === '[DONE]') {
      this.#isComplete = true
      return
    }
    const chunk = chunkIn(data)
    if (!chunk) return
    const { model, usage, serviceTier } = replyFacts(chunk)
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

const chunkIn = (data: string): JsonObject | undefined => {
  try {
    return jsonObjectIn(JSON.parse(data))
  } catch {
    return undefined
  }
}

const usageName = Buffer.from('"usage"')
const finishName = Buffer.from('"finish_reason"')
const done = Buffer.from('[DONE]')
const error = Buffer.from('"error"')
