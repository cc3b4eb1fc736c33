import type { JsonObject } from '../../json/json-object.ts'
import type { ReplyOptions } from '../chat/codec.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { argumentsIn } from '../chat/arguments.ts'
import { MALFORMED_CALL, reasonOf } from './finish-reason.ts'
import { createTimeOf } from './created-at.ts'
import { usageMetadata } from './usage.ts'

/** Encodes `GenerateContentResponse` with one candidate. */
export const encodeReply = (reply: ChatReply, options: ReplyOptions, losses: Losses): JsonObject => {
  const writer = new CandidateWriter(losses)
  for (const part of reply.parts) writer.add(part)
  if (reply.stopSequence !== undefined) losses.drop('stop_sequence')
  const { finish, usage, id, model } = reply
  const createTime = createTimeOf(reply.createdAtS)
  const finishReason = writer.hasMalformedCall && finish !== 'length' ? MALFORMED_CALL : reasonOf(finish)
  return {
    candidates: [{ content: { role: 'model', parts: writer.parts }, finishReason, index: 0 }],
    ...(usage ? { usageMetadata: usageMetadata(usage) } : {}),
    modelVersion: model === '' ? options.model : model,
    ...(id === '' ? {} : { responseId: id }),
    ...(createTime === undefined ? {} : { createTime }),
  }
}

class CandidateWriter {
  readonly parts: JsonObject[] = []
  hasMalformedCall = false
  readonly #losses: Losses

  constructor(losses: Losses) {
    this.#losses = losses
  }

  add(part: Part): void {
    switch (part.type) {
      case 'text':
      case 'refusal':
        this.parts.push({ text: part.text })
        return
      case 'thinking':
        this.parts.push({ text: part.text, thought: true, ...signed(part.signature) })
        return
      case 'toolCall': {
        const args = argumentsIn(part.arguments)
        const { id, name } = part
        if (args) this.parts.push({ functionCall: { id, name, args }, ...signed(part.signature) })
        else this.hasMalformedCall = true
        return
      }
      case 'hiddenThinking':
        this.#losses.drop('redacted_thinking')
        return
      default:
        this.#losses.drop(part.type)
    }
  }
}

const signed = (thoughtSignature: string | undefined): JsonObject =>
  thoughtSignature === undefined ? {} : { thoughtSignature }
