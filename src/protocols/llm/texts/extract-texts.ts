import type { JsonObject } from '../../json/json-object.ts'
import type { ChatFormat, Format } from '../format.ts'
import { completionsReplyTexts, completionsRequestTexts } from './completions.ts'
import { converseReplyTexts, converseRequestTexts } from './converse.ts'
import { generateContentReplyTexts, generateContentRequestTexts } from './generate-content.ts'
import { messagesReplyTexts, messagesRequestTexts } from './messages.ts'
import { embeddingsRequestTexts, invokeRequestTexts, rerankRequestTexts } from './other-requests.ts'
import { responsesReplyTexts, responsesRequestTexts } from './responses.ts'
import { completionsStreamTexts } from './completions-stream.ts'
import { converseStreamTexts } from './converse-stream.ts'
import { generateContentStreamTexts } from './generate-content-stream.ts'
import { messagesStreamTexts } from './messages-stream.ts'
import { responsesStreamTexts } from './responses-stream.ts'
import type { StreamTexts, TextSlot } from './text-slot.ts'

/** What a request may be written in; `invoke`: as whatever model of Bedrock wants it. */
export type RequestTextFormat = Format | 'invoke'

/**
 * All that a model reads as words in a request, in the order of the wire. Never throws: what is not as it should be is
 * passed over.
 */
export const requestTexts = (format: RequestTextFormat, body: JsonObject): readonly TextSlot[] =>
  ofRequests[format](body)

/** All that a model says in a whole answer, in the order of the wire. Never throws. */
export const replyTexts = (format: ChatFormat, body: JsonObject): readonly TextSlot[] =>
  ofReplies[format](body)

/** Makes what follows one stream of answers, be it in the middle of one that is broken. Never throws. */
export const streamTexts = (format: ChatFormat): StreamTexts => ofStreams[format]()

type Texts = (body: JsonObject) => readonly TextSlot[]

const ofRequests: Readonly<Record<RequestTextFormat, Texts>> = {
  completions: completionsRequestTexts,
  messages: messagesRequestTexts,
  responses: responsesRequestTexts,
  generateContent: generateContentRequestTexts,
  converse: converseRequestTexts,
  embeddings: embeddingsRequestTexts,
  rerank: rerankRequestTexts,
  anthropicTokenCount: messagesRequestTexts,
  geminiCountTokens: generateContentRequestTexts,
  invoke: invokeRequestTexts,
}

const ofReplies: Readonly<Record<ChatFormat, Texts>> = {
  completions: completionsReplyTexts,
  messages: messagesReplyTexts,
  responses: responsesReplyTexts,
  generateContent: generateContentReplyTexts,
  converse: converseReplyTexts,
}

const ofStreams: Readonly<Record<ChatFormat, () => StreamTexts>> = {
  completions: completionsStreamTexts,
  messages: messagesStreamTexts,
  responses: responsesStreamTexts,
  generateContent: generateContentStreamTexts,
  converse: converseStreamTexts,
}
