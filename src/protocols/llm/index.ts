/**
 * The formats of language models, as codecs without sockets: requests, whole responses, streams and errors of each are
 * decoded into one common form, and encoded from it. To translate is to decode with one codec and to encode with
 * another.
 *
 * @module
 */
export { type AwsEventSink, AwsEventDecoder } from '../aws-event-stream/decoder.ts'
export type { JsonObject } from '../json/json-object.ts'
export { EventCutter, eventsIn } from '../sse/event-splitter.ts'
export { EventParser, type EventSink, type ReceivedEvent } from '../sse/event-parser.ts'
export {
  type ReplyOptions,
  BadReply,
  BadRequest,
  type ChatCodec,
  type ReplyAttributes,
  type RequestAttributes,
  type ProviderRequestLine,
  type StreamAttributes,
} from './chat/codec.ts'
export type { BlockStart, ChatEvent, StreamDecoder, StreamEncoder, EmitEvent } from './chat/events.ts'
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
export type { CacheMark } from './chat/cache-mark.ts'
export type {
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
export type { LlmError } from './errors/error.ts'
export { type ChatFormat, type Format, isChatFormat, type OtherFormat } from './format.ts'
export { generateContent } from './generate-content/codec.ts'
export { Losses } from './dropped-fields.ts'
export { messages } from './messages/codec.ts'
export { responses } from './responses/codec.ts'
export { translations, upstreamFormat } from './translations.ts'
export { mergeUsage, type Usage } from './usage.ts'
