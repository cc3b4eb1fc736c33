import { type JsonObject, jsonObjectOr } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { Part } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { decodeFinish } from './incomplete-reason.ts'
import { readReasoning, thoughtOf } from './reasoning-item.ts'
import { responseValues } from '../members/typed-fields.ts'
import { decodeUsage } from './usage.ts'

/** Decodes a whole response (`Response` of the SDK). One that failed or is not finished is a `BadReply`. */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const status = responseValues.textIfAny(body.status, 'status') ?? (body.error ? 'failed' : 'completed')
  if (status !== 'completed' && status !== 'incomplete') {
    const message = jsonObjectOr(body.error).message
    throw new BadReply(`the response is ${status}${typeof message === 'string' ? `: ${message}` : ''}`)
  }
  const parts: Part[] = []
  for (const [i, item] of responseValues.list(body.output, 'output').entries())
    decodeItem(parts, responseValues.object(item, `output[${i}]`), `output[${i}]`, losses)
  return {
    id: responseValues.textIfAny(body.id, 'id') ?? '',
    model: responseValues.textIfAny(body.model, 'model') ?? '',
    createdAtS: responseValues.numberIfAny(body.created_at, 'created_at'),
    parts,
    finish: decodeFinish(body, {
      toolCall: parts.some(({ type }) => type === 'toolCall'),
      refusal: parts.some(({ type }) => type === 'refusal'),
    }),
    usage: decodeUsage(body.usage),
    serviceTier: responseValues.textIfAny(body.service_tier, 'service_tier'),
  }
}

const decodeItem = (parts: Part[], item: JsonObject, field: string, losses: Losses): void => {
  switch (item.type) {
    case 'message':
      for (const [i, part] of responseValues.list(item.content, `${field}.content`).entries()) {
        const pointer = `${field}.content[${i}]`
        const content = responseValues.object(part, pointer)
        if (content.type === 'output_text') {
          parts.push({ type: 'text', text: responseValues.text(content.text, `${pointer}.text`) })
          if (responseValues.listOrNone(content.annotations, `${pointer}.annotations`).length > 0)
            losses.drop('output.content.annotations')
        } else if (content.type === 'refusal')
          parts.push({ type: 'refusal', text: responseValues.text(content.refusal, `${pointer}.refusal`) })
        else losses.drop('output.content')
      }
      return
    case 'reasoning': {
      const reasoning = readReasoning(item, field, responseValues)
      if (reasoning.leavesContent) losses.drop('output.reasoning.content')
      const thought = thoughtOf(reasoning)
      if (thought) parts.push(thought)
      return
    }
    case 'function_call':
      parts.push({
        type: 'toolCall',
        id: responseValues.word(item.call_id, `${field}.call_id`),
        name: responseValues.word(item.name, `${field}.name`),
        arguments: responseValues.text(item.arguments, `${field}.arguments`),
      })
      return
    default:
      // Built-in tools that ran at the provider; their results are in the text.
      losses.drop('output.unknown')
  }
}
