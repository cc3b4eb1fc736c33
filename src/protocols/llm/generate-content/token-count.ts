import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeRequest } from './decode-request.ts'

/**
 * Reads a request of `countTokens`: `contents` alone, or with all that belongs to them as `generateContentRequest`.
 *
 * @throws BadRequest for what cannot be understood.
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

/** Its answer. */
export const encodeTokenCount = (tokens: number): JsonObject => ({ totalTokens: tokens })
