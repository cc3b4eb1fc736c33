import type { JsonObject } from '../../protocols/json/json-object.ts'
import type { Asked, ChatCodec, RequestPlace } from '../../protocols/llm/chat/codec.ts'
import type { ChatFormat } from '../../protocols/llm/format.ts'
import { Losses } from '../../protocols/llm/losses.ts'
import { jsonAnswer, type MockAnswer } from './mock-answer.ts'
import { errorAnswer, toldError } from './mock-error.ts'
import { type AnswerPlan, planAnswer } from './plan-answer.ts'
import { tokenEvents } from './token-events.ts'

/** Answers a conversation in the format that it is written in. */
export const answerChat = (
  body: JsonObject,
  place: RequestPlace,
  codec: ChatCodec,
  seed: string,
): MockAnswer => {
  const request = codec.decodeRequest(body, place, new Losses())
  const plan = planAnswer(request, `${prefixes[codec.format]}${seed}`)
  const asked: Asked = { model: request.model, wantsUsage: request.wantsUsage }
  const { delayMs, chunkDelayMs, cutAfter, errorAfter } = plan.instructions
  const refused = toldError(plan.instructions, codec)
  if (refused) return refused
  if (request.streaming)
    return {
      status: 200,
      headers: ['content-type', 'text/event-stream', 'cache-control', 'no-cache'],
      content: { [Symbol.iterator]: () => chunks(plan, codec, asked) },
      delayMs,
      chunkDelayMs,
      cutAfter,
    }
  if (errorAfter !== undefined) return errorAnswer(midError, codec, delayMs)
  const reply = codec.encodeReply(plan.reply, asked, new Losses())
  return jsonAnswer(200, reply, { delayMs, cutAfter })
}

/** What ids of answers begin with. */
const prefixes: Readonly<Record<ChatFormat, string>> = {
  completions: 'chatcmpl-',
  messages: 'msg_',
  responses: 'resp_',
  generateContent: '',
  converse: '',
}

const midError = { status: 500, message: 'The mock was told to fail in the middle.' }

function* chunks({ reply, instructions }: AnswerPlan, codec: ChatCodec, asked: Asked): Generator<string> {
  const encoder = codec.encodeStream(asked)
  let left = instructions.errorAfter ?? Infinity
  for (const event of tokenEvents(reply)) {
    if (left === 0) {
      yield encoder.encode({ type: 'error', error: midError })
      return
    }
    const text = encoder.encode(event)
    if (text === '') continue
    yield text
    left--
  }
}
