import type { JsonObject } from '../../json/json-object.ts'
import type { ChatFormat, Format } from '../format.ts'
import { completionsReplyTexts, completionsRequestTexts } from './body/completions.ts'
import { converseReplyTexts, converseRequestTexts } from './body/converse.ts'
import { generateContentReplyTexts, generateContentRequestTexts } from './body/generate-content.ts'
import { messagesReplyTexts, messagesRequestTexts } from './body/messages.ts'
import { embeddingsRequestTexts, invokeRequestTexts, rerankRequestTexts } from './body/other-requests.ts'
import { responsesReplyTexts, responsesRequestTexts } from './body/responses.ts'
import { completionsStreamTexts } from './stream/completions.ts'
import { converseStreamTexts } from './stream/converse.ts'
import { generateContentStreamTexts } from './stream/generate-content.ts'
import { messagesStreamTexts } from './stream/messages.ts'
import { responsesStreamTexts } from './stream/responses.ts'
import type { StreamTexts, TextSlot } from './text-slot.ts'

/** The format of a request; `invoke`: the native format of any Bedrock model. */
export type RequestTextFormat = Format | 'invoke'

/** All texts of a request that a model reads, in the order of the body. Never throws: invalid parts are skipped. */
export const requestTexts = (format: RequestTextFormat, body: JsonObject): readonly TextSlot[] =>
  ofRequests[format](body)

/** All texts of a whole response, in the order of the body. Never throws. */
export const replyTexts = (format: ChatFormat, body: JsonObject): readonly TextSlot[] =>
  ofReplies[format](body)

/** Creates a reader of the texts of one stream, which may end early. Never throws. */
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
