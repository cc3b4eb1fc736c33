import type { JsonObject } from '../../json/json-object.ts'
import type { LlmError } from '../error.ts'
import type { ChatFormat } from '../format.ts'
import type { Losses } from '../losses.ts'
import type { Usage } from '../usage.ts'
import type { StreamDecoder, StreamEncoder } from './events.ts'
import type { ChatReply } from './reply.ts'
import type { ChatRequest } from './request.ts'

/** One way to write conversations: reads it into the common form, and writes it from there. */
export interface ChatCodec {
  readonly format: ChatFormat

  /**
   * Reads a client's request. Fields without a place in the common form are losses, each field of the format once.
   *
   * @throws BadRequest for what cannot be understood, such as a message without a role.
   */
  decodeRequest(body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest

  /** Writes a request for a provider. What the format has no place for is a loss. */
  encodeRequest(request: ChatRequest, losses: Losses): JsonObject

  /**
   * Reads a provider's whole answer.
   *
   * @throws BadReply if it is not one.
   */
  decodeReply(body: JsonObject, losses: Losses): ChatReply

  /** Writes a whole answer for a client. */
  encodeReply(reply: ChatReply, asked: Asked, losses: Losses): JsonObject

  /** @param losses Told what the stream holds that has no place, as it comes. */
  decodeStream(losses?: Losses): StreamDecoder
  /** @param losses Told what finds no place in the stream, as it comes. */
  encodeStream(asked: Asked, losses?: Losses): StreamEncoder

  /** Reads an error of a provider. `body` is undefined if it was no JSON; then the message comes from the status. */
  decodeError(status: number, body: unknown): LlmError
  /** Writes an error for a client, as the body of an answer with the error's status. */
  encodeError(error: LlmError): JsonObject
  /**
   * Writes an error for a client whose stream has begun: whole server-sent events.
   *
   * @param facts What was found out about the stream, for formats whose events lead on from one another.
   */
  encodeStreamError(error: LlmError, facts?: StreamFacts): string

  /** What a request says of itself, without reading the conversation. */
  requestFacts(body: JsonObject, place: RequestPlace): RequestFacts
  /** What a whole answer says of itself, for answers that go to the client as they are. */
  replyFacts(body: JsonObject): ReplyFacts
  /** Finds out the same from a stream that goes to the client as it is. */
  streamFacts(): StreamFacts
}

/** What the path and query of a request say: some formats have the model there, and whether to stream. */
export interface RequestPlace {
  readonly model?: string | undefined
  readonly streaming?: boolean | undefined
}

/** What is known of the request when its answer is written. */
export interface Asked {
  /** The model as the client called it. */
  readonly model: string
  /** The client wants usage in the stream; formats that always have it take no notice. */
  readonly wantsUsage: boolean
}

/** Of a request, for routing, logs and expressions. */
export interface RequestFacts {
  readonly model: string | undefined
  readonly streaming: boolean
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly seed?: number | undefined
  readonly maxTokens?: number | undefined
}

/** Of an answer, for logs, metrics and limits. */
export interface ReplyFacts {
  readonly model?: string | undefined
  readonly usage?: Usage | undefined
  readonly serviceTier?: string | undefined
}

/** Gathers the facts of a stream from its events. */
export interface StreamFacts {
  /**
   * Whether any of these events can hold anything of interest: most do not, and are never decoded. A search for a few
   * bytes; it may say yes too often, and never no wrongly.
   *
   * @param events One whole event, or several.
   */
  concerns(events: Buffer): boolean
  /** One of those, decoded. */
  push(name: string | undefined, data: string): void
  readonly facts: ReplyFacts
  /** The format's own end has come: what follows, or a cut now, is no loss. */
  readonly isComplete: boolean
  /** Sees whole events pass, whether they concern it or not, for what an error would have to lead on from. */
  pass?(events: Buffer): void
}

/**
 * A request that cannot be understood; `message` is for the client.
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
 * An answer that is not what its provider promises; `message` is for the log.
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
