import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type {
  ReplyAttributes,
  RequestAttributes,
  ProviderRequestLine,
  StreamAttributes,
} from '../chat/codec.ts'
import { decodeUsage } from './usage.ts'

/** The attributes of a request. A value of a wrong type counts as absent: the provider refuses it. */
export const requestAttributes = (body: JsonObject, target: ProviderRequestLine): RequestAttributes => ({
  model: textIn(body.model) ?? target.model,
  streaming: typeof body.stream === 'boolean' ? body.stream : (target.streaming ?? false),
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  maxTokens: numberIn(body.max_output_tokens),
})

/** The attributes of a response. */
export const replyAttributes = (body: JsonObject): ReplyAttributes => ({
  model: textIn(body.model),
  usage: decodeUsage(body.usage),
  serviceTier: textIn(body.service_tier),
})

/**
 * Collects the attributes of a response from a stream. All of them are in the events with the whole response, the last
 * of which has the usage.
 */
export const streamAttributes = (): ResponsesStreamAttributes => new ResponsesStreamAttributes()

/** Collects the attributes and the position of a stream. */
export class ResponsesStreamAttributes implements StreamAttributes {
  attributes: ReplyAttributes = {}
  isComplete = false
  /** The latest response object of the stream. */
  response: JsonObject | undefined = undefined
  /** The sequence number of the next event. */
  nextNumber = 0

  concerns(event: Buffer): boolean {
    // Names of members: in a text, the quotes would be escaped.
    return event.includes('"response"') || event.includes('"error"')
  }

  pass(events: Buffer): void {
    const at = events.lastIndexOf(numberName)
    if (at < 0) return
    const written = events.toString('latin1', at + numberName.length, at + numberName.length + 20)
    const [digits] = /^\s*\d+/.exec(written) ?? []
    if (digits !== undefined) this.nextNumber = Number(digits) + 1
  }

  push(_name: string | undefined, data: string): void {
    const event = readJsonObject(data)
    if (!event) return
    const type = textIn(event.type) ?? ''
    if (ends.has(type)) this.isComplete = true
    const response = jsonObjectIn(event.response)
    if (!response) return
    this.response = response
    const { model, usage, serviceTier } = replyAttributes(response)
    this.attributes = {
      model: model ?? this.attributes.model,
      usage: usage ?? this.attributes.usage,
      serviceTier: serviceTier ?? this.attributes.serviceTier,
    }
  }
}

const numberName = Buffer.from('"sequence_number":')

const ends: ReadonlySet<string> = new Set([
  'response.completed',
  'response.incomplete',
  'response.failed',
  'error',
])
