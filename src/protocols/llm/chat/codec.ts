import type { JsonObject } from '../../json/json-object.ts'
import type { LlmError } from '../errors/error.ts'
import type { ChatFormat } from '../format.ts'
import type { Losses } from '../dropped-fields.ts'
import type { Usage } from '../usage.ts'
import type { StreamDecoder, StreamEncoder } from './events.ts'
import type { ChatReply } from './reply.ts'
import type { ChatRequest } from './request.ts'

/** A codec for one format of conversations: decodes it into the common form, and encodes it from there. */
export interface ChatCodec {
  readonly format: ChatFormat

  /**
   * Decodes a client's request. Fields without an equivalent in the common form are losses, each field of the format
   * once.
   *
   * @throws BadRequest for a request that is not valid, such as a message without a role.
   */
  decodeRequest(body: JsonObject, target: ProviderRequestLine, losses: Losses): ChatRequest

  /** Encodes a request for a provider. What the format cannot express is a loss. */
  encodeRequest(request: ChatRequest, losses: Losses): JsonObject

  /**
   * Decodes a provider's whole response.
   *
   * @throws BadReply if it is not valid.
   */
  decodeReply(body: JsonObject, losses: Losses): ChatReply

  /** Encodes a whole reply for a client. */
  encodeReply(reply: ChatReply, options: ReplyOptions, losses: Losses): JsonObject

  /** @param losses Collects fields of the stream without an equivalent, as they arrive. */
  decodeStream(losses?: Losses): StreamDecoder
  /** @param losses Collects what the stream cannot express, as it arrives. */
  encodeStream(options: ReplyOptions, losses?: Losses): StreamEncoder

  /**
   * Decodes an error of a provider. `body` is undefined if it was not JSON; the message is then made from the status.
   */
  decodeError(status: number, body: unknown): LlmError
  /** Encodes an error for a client, as the body of a reply with the error's status. */
  encodeError(error: LlmError): JsonObject
  /**
   * Encodes an error for a client whose stream has begun: whole server-sent events.
   *
   * @param attributes The attributes of the stream so far, for formats whose events refer to earlier ones.
   */
  encodeStreamError(error: LlmError, attributes?: StreamAttributes): string

  /** The attributes of a request, without decoding the conversation. */
  requestAttributes(body: JsonObject, target: ProviderRequestLine): RequestAttributes
  /** The attributes of a whole response that is passed on unchanged. */
  replyAttributes(body: JsonObject): ReplyAttributes
  /** Collects the same from a stream that is passed on unchanged. */
  streamAttributes(): StreamAttributes
}

/** What the path and query of a request determine: in some formats the model, and whether to stream. */
export interface ProviderRequestLine {
  readonly model?: string | undefined
  readonly streaming?: boolean | undefined
}

/** The properties of the request that its reply depends on. */
export interface ReplyOptions {
  /** The model name that the client used. */
  readonly model: string
  /** The client requested usage in the stream; ignored by formats that always have it. */
  readonly includeUsage: boolean
}

/** Attributes of a request, for routing, logs and expressions. */
export interface RequestAttributes {
  readonly model: string | undefined
  readonly streaming: boolean
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly seed?: number | undefined
  readonly maxTokens?: number | undefined
}

/** Attributes of a response, for logs, metrics and limits. */
export interface ReplyAttributes {
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  readonly serviceTier?: string | undefined
}

/** Collects the attributes of a stream from its events. */
export interface StreamAttributes {
  /**
   * Whether any of these events may be relevant: most are not, and are never decoded. A search for a few bytes; false
   * positives are possible, false negatives are not.
   *
   * @param events One whole event, or several.
   */
  concerns(events: Buffer): boolean
  /** Takes one event, decoded. */
  push(name: string | undefined, data: string): void
  readonly attributes: ReplyAttributes
  /** The format's own end has been received: a cut after it is no loss. */
  readonly isComplete: boolean
  /** Observes all whole events, relevant or not, for the state that an error event has to continue. */
  pass?(events: Buffer): void
}

/**
 * A request that cannot be decoded; `message` is for the client.
 *
 * @example
 * let problem: unknown
 * try {
 *   messages.decodeRequest({ model: 'm', max_tokens: 1, messages: 'hi' }, {}, new Losses())
 * } catch (error) {
 *   problem = error
 * }
 * problem instanceof BadRequest // true
 */
export class BadRequest extends Error {}

/**
 * A response that violates its format; `message` is for the log.
 *
 * @example
 * let problem: unknown
 * try {
 *   messages.decodeReply({ content: 'hi' }, new Losses())
 * } catch (error) {
 *   problem = error
 * }
 * problem instanceof BadReply // true
 */
export class BadReply extends Error {}
