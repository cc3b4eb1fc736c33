import type { JsonObject } from '../../json/json-object.ts'
import type { ProviderRequestLine } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeRequest } from './decode-request.ts'

/**
 * Decodes a token count request (Anthropic Messages API, `MessageCountTokensParams`): a message request without the
 * fields about the output.
 *
 * @throws BadRequest for an invalid request.
 */
export const decodeTokenCount = (
  body: JsonObject,
  target: ProviderRequestLine,
  losses: Losses,
): ChatRequest => decodeRequest(body, target, losses)

/** Encodes the reply to a token count request. */
export const encodeTokenCountReply = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })
