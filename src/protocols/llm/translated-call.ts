import type { JsonObject } from '../json/json-object.ts'
import type { Losses } from './losses.ts'

/** A request that is no conversation, as its provider wants it, and the way back. */
export interface TranslatedCall {
  /** For the provider. Without the model where that is in the path. */
  readonly body: JsonObject
  /**
   * Makes the client's answer of the provider's.
   *
   * @throws BadReply if that is not what the provider promises.
   */
  readonly reply: (body: JsonObject, headers: ReplyHeaders) => JsonObject
}

/** The headers of an answer: some providers count tokens there. */
export interface ReplyHeaders {
  get(name: string): string | undefined
}

/**
 * Translates a request for a model. Fields of the client that find no place are losses.
 *
 * @throws BadRequest for what cannot be understood, or cannot be said to this provider.
 */
export type TranslateCall = (body: JsonObject, model: string, losses: Losses) => TranslatedCall
