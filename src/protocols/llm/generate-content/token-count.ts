import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import type { RequestPlace } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { decodeRequest } from './decode-request.ts'

/**
 * Reads a request of `countTokens`: `contents` alone, or with all that belongs to them as `generateContentRequest`.
 *
 * @throws BadRequest for what cannot be understood.
 */
export const decodeTokenCount = (body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest =>
  decodeRequest(
    jsonObjectIn(body.generateContentRequest ?? body.generate_content_request) ?? body,
    place,
    losses,
  )

/** Its answer. */
export const encodeTokenCount = (tokens: number): JsonObject => ({ totalTokens: tokens })
