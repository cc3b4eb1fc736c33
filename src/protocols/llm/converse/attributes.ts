import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type { ReplyFacts, RequestFacts, RequestPlace, StreamFacts } from '../chat/codec.ts'
import { usageIn } from './usage.ts'

/** What a request says of itself; figures that are none are left out, for refusing them is the provider's. */
export const requestFacts = (body: JsonObject, place: RequestPlace): RequestFacts => {
  const { temperature, topP, maxTokens } = jsonObjectOr(body.inferenceConfig)
  return {
    model: place.model ?? textIn(body.modelId),
    streaming: place.streaming ?? false,
    temperature: numberIn(temperature),
    topP: numberIn(topP),
    maxTokens: numberIn(maxTokens),
  }
}

/** What a whole answer says of itself. */
export const replyFacts = (body: JsonObject): ReplyFacts => ({
  usage: usageIn(body.usage),
  serviceTier: textIn(jsonObjectOr(body.serviceTier).type),
})

/** The same of a stream, which says it in its last event. */
export class ConverseStreamFacts implements StreamFacts {
  facts: ReplyFacts = {}
  isComplete = false

  concerns(event: Buffer): boolean {
    return event.includes(METADATA) || event.includes(STOP) || event.includes(EXCEPTION)
  }

  push(name: string | undefined, data: string): void {
    if (name === 'messageStop' || name?.endsWith('xception')) this.isComplete = true
    if (name !== 'metadata') return
    try {
      const payload = jsonObjectIn(JSON.parse(data))
      if (payload) this.facts = replyFacts(payload)
    } catch {
      // Whoever reads the stream will say so.
    }
  }
}

const METADATA = Buffer.from('metadata')
const STOP = Buffer.from('messageStop')
const EXCEPTION = Buffer.from('xception')
