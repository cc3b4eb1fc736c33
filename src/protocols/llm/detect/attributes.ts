import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { ReplyAttributes, StreamAttributes } from '../chat/codec.ts'
import { replyAttributes as ofCompletions } from '../completions/attributes.ts'
import { replyAttributes as ofContent } from '../generate-content/attributes.ts'
import { replyAttributes as ofMessages } from '../messages/attributes.ts'
import { replyAttributes as ofResponses } from '../responses/attributes.ts'
import { mergeUsage } from '../usage.ts'

/**
 * The attributes of a response in no known format: images, transcriptions, and others that report usage in a known
 * format. By these it is detected.
 */
export const detectedReplyAttributes = (body: JsonObject): ReplyAttributes => {
  if (jsonObjectIn(body.usageMetadata)) return ofContent(body)
  const usage = jsonObjectOr(body.usage)
  if ('prompt_tokens' in usage || 'completion_tokens' in usage) return ofCompletions(body)
  if ('cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage) return ofMessages(body)
  return ofResponses(body)
}

/** Collects the attributes of a stream: each event may have some, of its own or of its response. */
export class DetectedStreamAttributes implements StreamAttributes {
  attributes: ReplyAttributes = {}
  /** The last event is not known: only a broken connection shows truncation. */
  readonly isComplete = true

  concerns(events: Buffer): boolean {
    return events.includes(USAGE)
  }

  push(_name: string | undefined, data: string): void {
    if (!data.includes(USAGE)) return
    const event = readJsonObject(data)
    if (!event) return
    for (const source of [event, jsonObjectIn(event.response), jsonObjectIn(event.message)]) {
      if (!source) continue
      const { model, usage, serviceTier } = detectedReplyAttributes(source)
      this.attributes = {
        model: model ?? this.attributes.model,
        usage: usage ? mergeUsage(this.attributes.usage, usage) : this.attributes.usage,
        serviceTier: serviceTier ?? this.attributes.serviceTier,
      }
    }
  }
}

/** Quotation marks in texts are escaped. The prefix also matches Gemini's `usageMetadata`. */
const USAGE = '"usage'
