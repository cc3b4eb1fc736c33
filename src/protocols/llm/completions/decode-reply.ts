import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { Part, ToolCallPart } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../losses.ts'
import { callSignatureIn } from './call-signature.ts'
import { told } from '../checked.ts'
import { errorInStead } from './decode-error.ts'
import { finishFrom } from './finish.ts'
import { callId } from './reply-id.ts'
import { dropOfChoices, dropOfMessage, isNothing } from './reply-losses.ts'
import { textsIn } from './reply-text.ts'
import { thoughtsIn } from './thoughts.ts'
import { usageFrom } from './usage.ts'

/**
 * Reads a whole answer (OpenAI Chat Completions, `ChatCompletion`), of which one choice counts.
 *
 * @throws BadReply also if it holds an error in spite of its status.
 */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const error = errorInStead(body)
  if (error) throw new BadReply(`it holds an error: ${error.message}`)
  const choices = told.list(body.choices, 'choices')
  const choice = told.object(choices[0], 'choices[0]')
  dropOfChoices(choices, choice, losses)
  const parts = decodeMessage(told.object(choice.message, at), losses)
  const finish = finishFrom(told.textIfAny(choice.finish_reason, 'choices[0].finish_reason'), {
    toolCalls: parts.some(({ type }) => type === 'toolCall'),
    refusal: parts.some(({ type }) => type === 'refusal'),
  })
  // vLLM says which of the texts it was.
  const stopSequence =
    finish === 'stop' && typeof choice.stop_reason === 'string' ? choice.stop_reason : undefined
  const usage = usageFrom(body.usage)
  const created = told.numberIfAny(body.created, 'created')
  const serviceTier = told.textIfAny(body.service_tier, 'service_tier')
  return {
    id: told.textIfAny(body.id, 'id') ?? '',
    model: told.textIfAny(body.model, 'model') ?? '',
    ...(created && { createdAtS: Math.floor(created) }),
    parts,
    finish: stopSequence === undefined ? finish : 'stopSequence',
    ...(stopSequence !== undefined && { stopSequence }),
    ...(usage && { usage }),
    ...(serviceTier !== undefined && { serviceTier }),
  }
}

const at = 'choices[0].message'

const decodeMessage = (message: JsonObject, losses: Losses): readonly Part[] => {
  dropOfMessage(message, losses)
  const refusal = told.textIfAny(message.refusal, `${at}.refusal`)
  const { text, thoughts } = textsIn(message.content, `${at}.content`, told)
  const calls = told.listOrNone(message.tool_calls, `${at}.tool_calls`)
  return [
    ...(thoughts === '' ? [] : [{ type: 'thinking' as const, text: thoughts }]),
    ...thoughtsIn(message, at, told),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...(refusal ? [{ type: 'refusal' as const, text: refusal }] : []),
    ...calls.flatMap((call, i) => decodeCall(call, `${at}.tool_calls[${i}]`, losses)),
    ...(isNothing(message.function_call) ? [] : [callOf({}, message.function_call, `${at}.function_call`)]),
  ]
}

const decodeCall = (value: unknown, place: string, losses: Losses): readonly ToolCallPart[] => {
  const call = told.object(value, place)
  if (call.type === 'custom') {
    losses.drop('choices.message.tool_calls.custom')
    return []
  }
  return [callOf(call, call.function, `${place}.function`)]
}

const callOf = (call: JsonObject, value: unknown, place: string): ToolCallPart => {
  const called = told.object(value, place)
  const signature = callSignatureIn(call)
  return {
    type: 'toolCall',
    id: callId(typeof call.id === 'string' && call.id !== '' ? call.id : undefined),
    name: told.text(called.name, `${place}.name`),
    arguments: argumentsOf(called.arguments, `${place}.arguments`),
    ...(signature && { signature }),
  }
}

/** Some write the object itself in place of its text, or nothing. */
const argumentsOf = (value: unknown, place: string): string => {
  if (jsonObjectIn(value)) return JSON.stringify(value)
  const text = told.textIfAny(value, place) ?? ''
  return text === '' ? '{}' : text
}
