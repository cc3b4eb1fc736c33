import { BufferBody } from '../../../model/exchange/body.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply, type ReplyAttributes } from '../../../protocols/llm/chat/codec.ts'
import { replyEvents } from '../../../protocols/llm/chat/reply-events.ts'
import { contentIn } from '../../../protocols/llm/chat/content-capture.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { Losses } from '../../../protocols/llm/dropped-fields.ts'
import type { ProviderReply } from './provider-reply.ts'
import { eventsOf } from './event-readers.ts'
import { replyFailed } from '../refusals.ts'
import type { StreamEncoding } from './stream-encoding.ts'
import { readReply } from './read-reply.ts'
import { captureStream } from '../usage/capture-content.ts'
import { endFailed } from './stream-observer.ts'
import { TranslatedStream } from './translated-stream.ts'
import { announceEvents, writeJsonReply } from './write-reply.ts'

/** Translates a stream to the client's format, event by event. */
export const translateStream = (
  { x, reply, prepared, limits, watch }: ProviderReply,
  form: StreamEncoding,
): Reply => {
  const { client, upstream, replyOptions } = prepared
  const { eventBytes } = limits
  const losses = new Losses()
  reply.body = new TranslatedStream(reply.body, {
    decoder: codecs[upstream].decodeStream(losses),
    encoder: codecs[client].encodeStream(replyOptions, losses),
    watch: {
      began: () => {
        watch.began()
      },
      ended: (attributes, outcome, problem) => {
        addLosses(x, losses)
        watch.ended(attributes, outcome, problem)
      },
    },
    events: eventsOf(form, eventBytes),
    onEvent: x.protocol.llm?.keepsReply ? captureStream(x.protocol.llm, eventBytes) : undefined,
  })
  announceEvents(reply)
  return reply
}

/** Translates a response that is not a stream to the client's format. */
export const translateJson = async (response: ProviderReply): Promise<Reply> => {
  const { x, reply, limits, watch } = response
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return endFailed(watch, replyFailed('invalid_reply', 'failed to parse response'))
  try {
    const losses = new Losses()
    const attributes = encode(response, body, losses)
    addLosses(x, losses)
    watch.ended(attributes, 'answered')
    return reply
  } catch (problem) {
    if (!(problem instanceof BadReply)) throw problem
    return endFailed(watch, replyFailed('invalid_reply', `invalid response: ${problem.message}`))
  }
}

/** @throws BadReply */
const encode = ({ x, reply, prepared }: ProviderReply, body: JsonObject, losses: Losses): ReplyAttributes => {
  const { client, upstream, replyOptions, streaming } = prepared
  const parsed = codecs[upstream].decodeReply(body, losses)
  if (x.protocol.llm?.keepsReply) x.protocol.llm.replyFrom(() => contentIn(parsed.parts))
  if (streaming) {
    // A client that requested a stream gets one, even if it is sent at once.
    const encoder = codecs[client].encodeStream(replyOptions, losses)
    const events = replyEvents(parsed).map((event) => encoder.encode(event))
    reply.body = new BufferBody(Buffer.from(events.join('')))
    reply.headers.delete('content-encoding')
    announceEvents(reply)
  } else writeJsonReply(reply, codecs[client].encodeReply(parsed, replyOptions, losses))
  return { model: parsed.model, usage: parsed.usage, serviceTier: parsed.serviceTier }
}

/** Adds the dropped fields of the response to those of the request, each once. */
const addLosses = ({ protocol }: Exchange, losses: Losses): void => {
  const { llm } = protocol
  if (llm && losses.any) llm.dropped = [...new Set([...llm.dropped, ...losses.fields])]
}
