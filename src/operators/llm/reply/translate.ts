import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply, type ReplyFacts } from '../../../protocols/llm/chat/codec.ts'
import { replyEvents } from '../../../protocols/llm/chat/reply-events.ts'
import { saidIn } from '../../../protocols/llm/chat/said.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { Losses } from '../../../protocols/llm/losses.ts'
import type { ArrivedReply } from './arrived-reply.ts'
import { eventsOf } from './event-sources.ts'
import { replyFailed } from './llm-refusal.ts'
import type { StreamForm } from './open-stream.ts'
import { readReply } from './read-reply.ts'
import { rememberStream } from './remember.ts'
import { endFailed } from './stream-watch.ts'
import { TranslatedStream } from './translated-stream.ts'
import { announceEvents, writeJson } from './write-reply.ts'

/** Says a stream in the client's format, event by event. */
export const translateStream = (
  { x, reply, prepared, limits, watch }: ArrivedReply,
  form: StreamForm,
): Reply => {
  const { client, upstream, asked } = prepared
  const { eventBytes } = limits
  const losses = new Losses()
  reply.body = new TranslatedStream(reply.body, {
    decoder: codecs[upstream].decodeStream(losses),
    encoder: codecs[client].encodeStream(asked, losses),
    watch: {
      began: () => {
        watch.began()
      },
      ended: (facts, outcome, problem) => {
        addLosses(x, losses)
        watch.ended(facts, outcome, problem)
      },
    },
    events: eventsOf(form, eventBytes),
    hear: x.llm?.keepsReply ? rememberStream(x.llm, eventBytes) : undefined,
  })
  announceEvents(reply)
  return reply
}

/** Reads an answer that is no stream, and says it in the client's format. */
export const translateWhole = async (arrived: ArrivedReply): Promise<Reply> => {
  const { x, reply, limits, watch } = arrived
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return endFailed(watch, replyFailed('invalid_reply', 'failed to parse response'))
  try {
    const losses = new Losses()
    const facts = write(arrived, body, losses)
    addLosses(x, losses)
    watch.ended(facts, 'answered')
    return reply
  } catch (problem) {
    if (!(problem instanceof BadReply)) throw problem
    return endFailed(watch, replyFailed('invalid_reply', `invalid response: ${problem.message}`))
  }
}

/** @throws BadReply */
const write = ({ x, reply, prepared }: ArrivedReply, body: JsonObject, losses: Losses): ReplyFacts => {
  const { client, upstream, asked, streaming } = prepared
  const said = codecs[upstream].decodeReply(body, losses)
  if (x.llm?.keepsReply) x.llm.replyFrom(() => saidIn(said.parts))
  if (streaming) {
    // Whoever asked for a stream gets one, be it all at once.
    const encoder = codecs[client].encodeStream(asked, losses)
    const events = replyEvents(said).map((event) => encoder.encode(event))
    reply.body = new BufferBody(Buffer.from(events.join('')))
    reply.headers.delete('content-encoding')
    announceEvents(reply)
  } else writeJson(reply, codecs[client].encodeReply(said, asked, losses))
  return { model: said.model, usage: said.usage, serviceTier: said.serviceTier }
}

/** Those of the answer beside those of the request, each once. */
const addLosses = ({ llm }: Exchange, losses: Losses): void => {
  if (llm && losses.any) llm.dropped = [...new Set([...llm.dropped, ...losses.fields])]
}
