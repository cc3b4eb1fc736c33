import type { JsonObject } from '../json/json-object.ts'
import type { Losses } from './dropped-fields.ts'

/** A request other than a conversation in its provider's format, and the translation of the response. */
export interface TranslatedCall {
  /** The body for the provider. Without the model if that is in the path. */
  readonly body: JsonObject
  /**
   * Translates the provider's response for the client.
   *
   * @throws BadReply if it is not in the provider's format.
   */
  readonly reply: (body: JsonObject, headers: ReplyHeaders) => JsonObject
}

/** The headers of a response: some providers count tokens there. */
export interface ReplyHeaders {
  get(name: string): string | undefined
}

/**
 * Translates a request for a model. Fields of the client without an equivalent are losses.
 *
 * @throws BadRequest for a request that is not valid, or cannot be expressed for this provider.
 */
export type TranslateCall = (body: JsonObject, model: string, losses: Losses) => TranslatedCall
