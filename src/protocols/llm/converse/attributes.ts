import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { numberIn, textIn } from '../../json/typed-values.ts'
import type {
  ReplyAttributes,
  RequestAttributes,
  ProviderRequestLine,
  StreamAttributes,
} from '../chat/codec.ts'
import { usageIn } from './usage.ts'

/** The attributes of a request; invalid numbers are ignored, since the provider refuses them. */
export const requestAttributes = (body: JsonObject, target: ProviderRequestLine): RequestAttributes => {
  const { temperature, topP, maxTokens } = jsonObjectOr(body.inferenceConfig)
  return {
    model: target.model ?? textIn(body.modelId),
    streaming: target.streaming ?? false,
    temperature: numberIn(temperature),
    topP: numberIn(topP),
    maxTokens: numberIn(maxTokens),
  }
}

/** The attributes of a whole response. */
export const replyAttributes = (body: JsonObject): ReplyAttributes => ({
  usage: usageIn(body.usage),
  serviceTier: textIn(jsonObjectOr(body.serviceTier).type),
})

/** Collects the attributes of a stream, which are in its last event. */
export class ConverseStreamAttributes implements StreamAttributes {
  attributes: ReplyAttributes = {}
  isComplete = false

  concerns(event: Buffer): boolean {
    return event.includes(METADATA) || event.includes(STOP) || event.includes(EXCEPTION)
  }

  push(name: string | undefined, data: string): void {
    if (name === 'messageStop' || name?.endsWith('xception')) this.isComplete = true
    if (name !== 'metadata') return
    try {
      const payload = jsonObjectIn(JSON.parse(data))
      if (payload) this.attributes = replyAttributes(payload)
    } catch {
      // The decoder of the stream reports it.
    }
  }
}

const METADATA = Buffer.from('metadata')
const STOP = Buffer.from('messageStop')
const EXCEPTION = Buffer.from('xception')
