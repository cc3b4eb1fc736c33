import type { JsonObject } from '../../json/json-object.ts'
import { jsonObjectIn } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type { ReplyFacts, RequestFacts, RequestPlace, StreamFacts } from '../chat/codec.ts'
import { decodeUsage } from './usage.ts'

/** What a request says of itself. What is of a wrong type is as good as absent: its provider will say so. */
export const requestFacts = (body: JsonObject, place: RequestPlace): RequestFacts => ({
  model: textIn(body.model) ?? place.model,
  streaming: typeof body.stream === 'boolean' ? body.stream : (place.streaming ?? false),
  temperature: numberIn(body.temperature),
  topP: numberIn(body.top_p),
  maxTokens: numberIn(body.max_output_tokens),
})

/** What an answer says of itself. */
export const replyFacts = (body: JsonObject): ReplyFacts => ({
  model: textIn(body.model),
  usage: decodeUsage(body.usage),
  serviceTier: textIn(body.service_tier),
})

/**
 * Gathers the same from a stream. Everything of interest is in the events that carry the response as a whole, of which
 * the last has the usage.
 */
export const streamFacts = (): ResponseStreamFacts => new ResponseStreamFacts()

/** The same, and how far the stream is. */
export class ResponseStreamFacts implements StreamFacts {
  facts: ReplyFacts = {}
  isComplete = false
  /** As it was written last. */
  response: JsonObject | undefined = undefined
  /** The number of the event that would be next. */
  nextNumber = 0

  concerns(event: Buffer): boolean {
    // Names of members: inside of a text their quotes would be escaped.
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
    const { model, usage, serviceTier } = replyFacts(response)
    this.facts = {
      model: model ?? this.facts.model,
      usage: usage ?? this.facts.usage,
      serviceTier: serviceTier ?? this.facts.serviceTier,
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
