import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeRequest } from './decode-request.ts'

/**
 * Decodes a request of `countTokens`: `contents` alone, or a whole request as `generateContentRequest`.
 *
 * @throws BadRequest for an invalid request.
 */
export const decodeTokenCount = (
  body: JsonObject,
  target: ProviderRequestLine,
  losses: Losses,
): ChatRequest =>
  decodeRequest(
    jsonObjectIn(body.generateContentRequest ?? body.generate_content_request) ?? body,
    target,
    losses,
  )

/** Encodes the reply of `countTokens`. */
export const encodeTokenCount = (tokens: number): JsonObject => ({ totalTokens: tokens })
