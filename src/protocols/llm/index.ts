/**
 * The formats in which language models are asked and answer, as codecs without sockets: requests, whole answers, streams
 * and errors of each are read into one common form, and written from it. To translate is to read with one codec and to
 * write with another.
 *
 * @module
 */
export { type AwsEventSink, AwsEventDecoder } from '../aws-event-stream/decoder.ts'
export type { JsonObject } from '../json/json-object.ts'
export { EventCutter, eventsIn } from '../sse/event-cutter.ts'
export { EventParser, type EventSink, type ReceivedEvent } from '../sse/event-parser.ts'
export {
  type Asked,
  BadReply,
  BadRequest,
  type ChatCodec,
  type ReplyFacts,
  type RequestFacts,
  type RequestPlace,
  type StreamFacts,
} from './chat/codec.ts'
export type { BlockStart, ChatEvent, StreamDecoder, StreamEncoder, Tell } from './chat/events.ts'
export type {
  AudioPart,
  FilePart,
  HiddenThinkingPart,
  ImagePart,
  Part,
  RefusalPart,
  Source,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from './chat/parts.ts'
export { replyEvents } from './chat/reply-events.ts'
export type { ChatReply, Finish } from './chat/reply.ts'
export type {
  CacheMark,
  ChatRequest,
  OutputShape,
  Reasoning,
  ReasoningEffort,
  Tool,
  ToolChoice,
  Turn,
} from './chat/request.ts'
export { codecs } from './codecs.ts'
export { completions } from './completions/codec.ts'
export { converse } from './converse/codec.ts'
export type { LlmError } from './error.ts'
export { type ChatFormat, type Format, isChatFormat, type OtherFormat } from './format.ts'
export { generateContent } from './generate-content/codec.ts'
export { Losses } from './losses.ts'
export { messages } from './messages/codec.ts'
export { responses } from './responses/codec.ts'
export { translations, upstreamFormat } from './translations.ts'
export { mergeUsage, type Usage } from './usage.ts'
