import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type { ReplyFacts, RequestFacts, RequestPlace, StreamFacts } from '../chat/codec.ts'
import { usageOf, UsageTally } from './usage.ts'

/** What a request says of itself. */
export const requestFacts = (body: JsonObject, place: RequestPlace): RequestFacts => ({
  model: place.model ?? textIn(body.model),
  streaming: place.streaming ?? body.stream === true,
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  maxTokens: numberIn(body.max_tokens),
})

/** What a whole answer says of itself. */
export const replyFacts = (body: JsonObject): ReplyFacts => ({
  model: textIn(body.model),
  usage: usageOf(body.usage),
  serviceTier: textIn(jsonObjectOr(body.usage).service_tier),
})

/** Finds out the same from a stream: the beginning of the message tells its input, the end its output. */
export class MessagesStreamFacts implements StreamFacts {
  readonly #tally = new UsageTally()
  #model: string | undefined = undefined
  #serviceTier: string | undefined = undefined
  isComplete = false

  concerns(events: Buffer): boolean {
    return ofInterest.test(events.toString('latin1'))
  }

  push(name: string | undefined, data: string): void {
    const event = readJsonObject(data)
    const type = event?.type ?? name
    if (type === 'message_start') {
      const message = jsonObjectOr(event?.message)
      this.#model = textIn(message.model)
      this.#take(message.usage)
    } else if (type === 'message_delta') this.#take(event?.usage)
    else if (type === 'message_stop' || type === 'error') this.isComplete = true
  }

  get facts(): ReplyFacts {
    return { model: this.#model, usage: this.#tally.usage, serviceTier: this.#serviceTier }
  }

  #take(usage: unknown): void {
    this.#tally.add(usage)
    this.#serviceTier = textIn(jsonObjectOr(usage).service_tier) ?? this.#serviceTier
  }
}

/** Names and types. Quotation marks inside of texts are escaped: nothing that somebody says can look like a type. */
const ofInterest = /"type"\s*:\s*"(?:message_|error")|^event:[ \t]*(?:message_|error)/m
