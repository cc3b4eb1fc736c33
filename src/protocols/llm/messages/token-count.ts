import type { JsonObject } from '../../json/json-object.ts'
import { BadReply, type RequestPlace } from '../chat/codec.ts'
import type { ChatRequest } from '../chat/request.ts'
import type { Losses } from '../losses.ts'
import { decodeRequest } from './decode-request.ts'
import { encodeRequest } from './encode-request.ts'

/**
 * Reads a request that only counts (Anthropic Messages API, `MessageCountTokensParams`): one for a message, but for what
 * is about the answer.
 *
 * @throws BadRequest for what cannot be understood.
 */
export const decodeTokenCount = (body: JsonObject, place: RequestPlace, losses: Losses): ChatRequest =>
  decodeRequest(body, place, losses)

/** Writes one for Anthropic: what is about the answer is left out, and is no loss for it counts nothing. */
export const encodeTokenCount = (request: ChatRequest, losses: Losses): JsonObject => {
  const { model, instructions, turns, tools, toolChoice, parallelTools, reasoning, output } = request
  const body = encodeRequest(
    {
      model,
      instructions,
      turns,
      tools,
      toolChoice,
      parallelTools,
      reasoning,
      output,
      maxTokens: Number.MAX_SAFE_INTEGER,
      stop: [],
      streaming: false,
      wantsUsage: false,
    },
    losses,
  )
  delete body.max_tokens
  return body
}

/**
 * Reads the answer (`MessageTokensCount`).
 *
 * @throws BadReply if it tells no number.
 */
export const decodeTokenCountReply = (body: JsonObject): number => {
  const count = body.input_tokens
  if (typeof count !== 'number') throw new BadReply('input_tokens: must be a number')
  return count
}

/** Writes the answer. */
export const encodeTokenCountReply = (inputTokens: number): JsonObject => ({ input_tokens: inputTokens })
