import { jsonObjectIn, jsonObjectOr, type JsonObject } from '../../json/json-object.ts'
import { readJsonObject } from '../../json/read-json.ts'
import type { ReplyFacts, StreamFacts } from '../chat/codec.ts'
import { replyFacts as ofCompletions } from '../completions/facts.ts'
import { replyFacts as ofContent } from '../generate-content/facts.ts'
import { replyFacts as ofMessages } from '../messages/facts.ts'
import { replyFacts as ofResponses } from '../responses/facts.ts'
import { mergeUsage } from '../usage.ts'

/**
 * What an answer in no known format says of itself: pictures, transcriptions, and whatever else tells its usage in the words
 * of one of the formats that are known. By these it is recognized.
 */
export const detectedReplyFacts = (body: JsonObject): ReplyFacts => {
  if (jsonObjectIn(body.usageMetadata)) return ofContent(body)
  const usage = jsonObjectOr(body.usage)
  if ('prompt_tokens' in usage || 'completion_tokens' in usage) return ofCompletions(body)
  if ('cache_read_input_tokens' in usage || 'cache_creation_input_tokens' in usage) return ofMessages(body)
  return ofResponses(body)
}

/** The same of a stream: each of its events may say something, by itself or of the answer that it is about. */
export class DetectedStreamFacts implements StreamFacts {
  facts: ReplyFacts = {}
  /** Nobody knows what its last event looks like: whoever cuts it off does so by breaking it. */
  readonly isComplete = true

  concerns(events: Buffer): boolean {
    return events.includes(USAGE)
  }

  push(_name: string | undefined, data: string): void {
    if (!data.includes(USAGE)) return
    const event = readJsonObject(data)
    if (!event) return
    for (const said of [event, jsonObjectIn(event.response), jsonObjectIn(event.message)]) {
      if (!said) continue
      const { model, usage, serviceTier } = detectedReplyFacts(said)
      this.facts = {
        model: model ?? this.facts.model,
        usage: usage ? mergeUsage(this.facts.usage, usage) : this.facts.usage,
        serviceTier: serviceTier ?? this.facts.serviceTier,
      }
    }
  }
}

/** Quotation marks inside of texts are escaped. The name goes on in Gemini's. */
const USAGE = '"usage'
