import { jsonObjectIn, type JsonObject } from '../../json/json-object.ts'
import { BadReply } from '../chat/codec.ts'
import type { Part, ToolCallPart } from '../chat/parts.ts'
import type { ChatReply } from '../chat/reply.ts'
import type { Losses } from '../dropped-fields.ts'
import { callSignatureIn } from './decode-tools.ts'
import { responseValues } from '../members/typed-fields.ts'
import { errorInStead } from './errors.ts'
import { finishFrom } from './finish-reason.ts'
import { callId } from './encode-reply.ts'
import { textsIn } from './reply-text.ts'
import { thoughtsIn } from './reasoning.ts'
import { usageFrom } from './usage.ts'

/**
 * Decodes a whole response (OpenAI Chat Completions, `ChatCompletion`). Only one choice is used.
 *
 * @throws BadReply also if it contains an error in spite of its status.
 */
export const decodeReply = (body: JsonObject, losses: Losses): ChatReply => {
  const error = errorInStead(body)
  if (error) throw new BadReply(`it holds an error: ${error.message}`)
  const choices = responseValues.list(body.choices, 'choices')
  const choice = responseValues.object(choices[0], 'choices[0]')
  dropOfChoices(choices, choice, losses)
  const parts = decodeMessage(responseValues.object(choice.message, at), losses)
  const finish = finishFrom(responseValues.textIfAny(choice.finish_reason, 'choices[0].finish_reason'), {
    toolCalls: parts.some(({ type }) => type === 'toolCall'),
    refusal: parts.some(({ type }) => type === 'refusal'),
  })
  // vLLM reports which stop sequence it was.
  const stopSequence =
    finish === 'stop' && typeof choice.stop_reason === 'string' ? choice.stop_reason : undefined
  const usage = usageFrom(body.usage)
  const created = responseValues.numberIfAny(body.created, 'created')
  const serviceTier = responseValues.textIfAny(body.service_tier, 'service_tier')
  return {
    id: responseValues.textIfAny(body.id, 'id') ?? '',
    model: responseValues.textIfAny(body.model, 'model') ?? '',
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
  const refusal = responseValues.textIfAny(message.refusal, `${at}.refusal`)
  const { text, thoughts } = textsIn(message.content, `${at}.content`, responseValues)
  const calls = responseValues.listOrNone(message.tool_calls, `${at}.tool_calls`)
  return [
    ...(thoughts === '' ? [] : [{ type: 'thinking' as const, text: thoughts }]),
    ...thoughtsIn(message, at, responseValues),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...(refusal ? [{ type: 'refusal' as const, text: refusal }] : []),
    ...calls.flatMap((call, i) => decodeCall(call, `${at}.tool_calls[${i}]`, losses)),
    ...(isNothing(message.function_call) ? [] : [callOf({}, message.function_call, `${at}.function_call`)]),
  ]
}

const decodeCall = (value: unknown, position: string, losses: Losses): readonly ToolCallPart[] => {
  const call = responseValues.object(value, position)
  if (call.type === 'custom') {
    losses.drop('choices.message.tool_calls.custom')
    return []
  }
  return [callOf(call, call.function, `${position}.function`)]
}

const callOf = (call: JsonObject, value: unknown, position: string): ToolCallPart => {
  const called = responseValues.object(value, position)
  const signature = callSignatureIn(call)
  return {
    type: 'toolCall',
    id: callId(typeof call.id === 'string' && call.id !== '' ? call.id : undefined),
    name: responseValues.text(called.name, `${position}.name`),
    arguments: argumentsOf(called.arguments, `${position}.arguments`),
    ...(signature && { signature }),
  }
}

/** Some providers send the object itself instead of its text, or nothing. */
const argumentsOf = (value: unknown, position: string): string => {
  if (jsonObjectIn(value)) return JSON.stringify(value)
  const text = responseValues.textIfAny(value, position) ?? ''
  return text === '' ? '{}' : text
}

/** Reports what the common form cannot express: all choices but one, and log probabilities. */
export const dropOfChoices = (
  choices: readonly unknown[],
  choice: JsonObject | undefined,
  losses: Losses,
): void => {
  if (choices.length > (choice ? 1 : 0)) losses.drop('choices')
  if (choice?.logprobs !== undefined && choice.logprobs !== null) losses.drop('choices.logprobs')
}

/** Reports members of a message or a delta that the common form cannot express. */
export const dropOfMessage = (message: JsonObject, losses: Losses): void => {
  for (const name of ['annotations', 'audio', 'images'])
    if (!isNothing(message[name])) losses.drop(`choices.message.${name}`)
}

/** Whether a value is equivalent to an absent field. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
