import type { JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeRequest } from './decode-request.ts'

/**
 * Reads a request that only counts (Anthropic Messages API, `MessageCountTokensParams`): one for a message, but for what
 * is about the answer.
 *
 * @throws BadRequest for what cannot be understood.
 */
export const decodeTokenCount = (
  body: JsonObject,
  target: ProviderRequestLine,
  losses: Losses,
): ChatRequest => decodeRequest(body, target, losses)

/** Writes the answer. */
export const encodeTokenCountReply = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })
