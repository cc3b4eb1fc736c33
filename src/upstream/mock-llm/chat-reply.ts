import type { JsonObject } from '../../protocols/json/json-object.ts'
import type { ReplyOptions, ChatCodec, ProviderRequestLine } from '../../protocols/llm/chat/codec.ts'
import type { ChatEvent } from '../../protocols/llm/chat/events.ts'
import { replyEvents } from '../../protocols/llm/chat/reply-events.ts'
import type { ChatReply } from '../../protocols/llm/chat/reply.ts'
import type { ChatFormat } from '../../protocols/llm/format.ts'
import { Losses } from '../../protocols/llm/dropped-fields.ts'
import { jsonReply, type MockReply } from './mock-reply.ts'
import { mockErrorReply, requestedError } from './mock-error.ts'
import { mockTokens } from './mock-tokens.ts'
import { type ReplyPlan, planReply } from './plan-reply.ts'

/** Replies to a conversation in its own format. */
export const chatReply = (
  body: JsonObject,
  target: ProviderRequestLine,
  codec: ChatCodec,
  seed: string,
): MockReply => {
  const request = codec.decodeRequest(body, target, new Losses())
  const plan = planReply(request, `${prefixes[codec.format]}${seed}`)
  const options: ReplyOptions = { model: request.model, includeUsage: request.includeUsage }
  const { delayMs, chunkDelayMs, cutAfter, errorAfter } = plan.instructions
  const refused = requestedError(plan.instructions, codec)
  if (refused) return refused
  if (request.streaming)
    return {
      status: 200,
      headers: ['content-type', 'text/event-stream', 'cache-control', 'no-cache'],
      content: { [Symbol.iterator]: () => chunks(plan, codec, options) },
      delayMs,
      chunkDelayMs,
      cutAfter,
    }
  if (errorAfter !== undefined) return mockErrorReply(midError, codec, delayMs)
  const reply = codec.encodeReply(plan.reply, options, new Losses())
  return jsonReply(200, reply, { delayMs, cutAfter })
}

/** Prefixes of response ids. */
const prefixes: Readonly<Record<ChatFormat, string>> = {
  completions: 'chatcmpl-',
  messages: 'msg_',
  responses: 'resp_',
  generateContent: '',
  converse: '',
}

const midError = { status: 500, message: 'The mock was told to fail in the middle.' }

function* chunks(
  { reply, instructions }: ReplyPlan,
  codec: ChatCodec,
  options: ReplyOptions,
): Generator<string> {
  const encoder = codec.encodeStream(options)
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

/** The stream of a reply, one token at a time. */
function* tokenEvents(reply: ChatReply): Generator<ChatEvent> {
  for (const event of replyEvents(reply)) {
    if (event.type === 'start') yield { ...event, usage: promptOnly(reply.usage) }
    else if (event.type === 'delta')
      for (const text of mockTokens(event.text)) yield { type: 'delta', block: event.block, text }
    else yield event
  }
}

/** Some formats report the usage of the prompt first. */
const promptOnly = (usage: ChatReply['usage']): ChatReply['usage'] =>
  usage && { ...usage, outputTokens: undefined, totalTokens: undefined, reasoningTokens: undefined }
