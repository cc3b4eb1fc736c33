import { jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type {
  ReplyAttributes,
  RequestAttributes,
  ProviderRequestLine,
  StreamAttributes,
} from '../chat/codec.ts'
import { usageOf, UsageTally } from './usage.ts'

/** The attributes of a request. */
export const requestAttributes = (body: JsonObject, target: ProviderRequestLine): RequestAttributes => ({
  model: target.model ?? textIn(body.model),
  streaming: target.streaming ?? body.stream === true,
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  maxTokens: numberIn(body.max_tokens),
})

/** The attributes of a whole response. */
export const replyAttributes = (body: JsonObject): ReplyAttributes => ({
  model: textIn(body.model),
  usage: usageOf(body.usage),
  serviceTier: textIn(jsonObjectOr(body.usage).service_tier),
})

/** Collects the attributes of a streamed response. Input usage is at its beginning, output usage at its end. */
export class MessagesStreamAttributes implements StreamAttributes {
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

  get attributes(): ReplyAttributes {
    return { model: this.#model, usage: this.#tally.usage, serviceTier: this.#serviceTier }
  }

  #take(usage: unknown): void {
    this.#tally.add(usage)
    this.#serviceTier = textIn(jsonObjectOr(usage).service_tier) ?? this.#serviceTier
  }
}

/** Matches event names and types. Quotes in texts are escaped, so no text can look like a type. */
const ofInterest = /"type"\s*:\s*"(?:message_|error")|^event:[ \t]*(?:message_|error)/m
