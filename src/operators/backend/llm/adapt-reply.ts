import { BufferBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import type { LlmCall } from '../../../model/llm-call.ts'
import type { Reply } from '../../../model/reply.ts'
import { readJsonObject } from '../../../protocols/json/read-json.ts'
import { BadReply, type ReplyFacts, type StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { replyEvents } from '../../../protocols/llm/chat/reply-events.ts'
import { saidIn } from '../../../protocols/llm/chat/said.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { hideUsage } from '../../../protocols/llm/completions/hide-usage.ts'
import { Losses } from '../../../protocols/llm/losses.ts'
import { adaptError } from './adapt-error.ts'
import { eventsOf } from './event-sources.ts'
import { replyFailed } from './llm-refusal.ts'
import { openStream, type StreamForm } from './open-stream.ts'
import { OverheardStream } from './overheard-stream.ts'
import { PassedStream } from './passed-stream.ts'
import { type Ended, PassedWhole } from './passed-whole.ts'
import type { Prepared } from './prepare-chat.ts'
import { readReply } from './read-reply.ts'
import { RememberedFacts, rememberReply, rememberStream } from './remember.ts'
import type { StreamWatch } from './stream-watch.ts'
import { tellReply } from './tell-trace.ts'
import { TranslatedStream } from './translated-stream.ts'

/** Bounds of what is held of an answer. */
export interface ReplyLimits {
  /** Of a whole answer that has to be translated. */
  readonly replyBytes: number
  /** Of one event. */
  readonly eventBytes: number
}

/**
 * Makes of a provider's answer the one that the client gets. In the client's own format it passes as it comes, and is
 * looked at; otherwise it is translated, event by event or as a whole.
 *
 * @param watch Is told what the answer said of itself, once it is over.
 */
export const adaptReply = (
  x: Exchange,
  reply: Reply,
  prepared: Prepared,
  limits: ReplyLimits,
  watch: StreamWatch,
): Reply | Promise<Reply> => {
  if (reply.status < 200 || reply.status >= 300) return adaptError(x, reply, prepared, watch)
  const stream = openStream(reply)
  if (stream === 'unreadable') {
    reply.body.drop()
    return over(watch, replyFailed('unsupported_encoding', 'unsupported content encoding of the response'))
  }
  if (x.probe) tellReply(x, stream && (stream === 'aws' ? 'awsEventStream' : 'sseJson'))
  if (prepared.client !== prepared.upstream)
    return stream
      ? translateStream(x, reply, prepared, limits, watch, stream)
      : translateWhole(x, reply, prepared, limits, watch)
  if (stream)
    return stream === 'aws'
      ? passFrames(x, reply, prepared, limits, watch)
      : passStream(x, reply, prepared, limits, watch)
  if (!reply.headers.has('content-encoding')) return tapWhole(x, reply, prepared, limits, watch)
  return readReply(x, reply, limits.replyBytes).then((bytes) =>
    Buffer.isBuffer(bytes)
      ? tapWhole(x, withBytes(reply, bytes), prepared, limits, watch)
      : over(watch, bytes),
  )
}

const passStream = (
  { llm }: Exchange,
  reply: Reply,
  { client, hidesUsage }: Prepared,
  { eventBytes }: ReplyLimits,
  watch: StreamWatch,
): Reply => {
  const codec = codecs[client]
  const facts = codec.streamFacts()
  reply.body = new PassedStream(reply.body, {
    facts: llm?.keepsReply ? remembered(llm, facts, client, eventBytes) : facts,
    watch,
    limitBytes: eventBytes,
    show: hidesUsage ? hideUsage : undefined,
    encodeError: (error) => codec.encodeStreamError(error, facts),
  })
  reply.headers.delete('content-length')
  return reply
}

const passFrames = (
  { llm }: Exchange,
  reply: Reply,
  { client }: Prepared,
  { eventBytes }: ReplyLimits,
  watch: StreamWatch,
): Reply => {
  const facts = codecs[client].streamFacts()
  reply.body = new OverheardStream(reply.body, {
    form: 'aws',
    facts: llm?.keepsReply ? remembered(llm, facts, client, eventBytes) : facts,
    watch,
    limitBytes: eventBytes,
  })
  return reply
}

const tapWhole = (
  { llm }: Exchange,
  reply: Reply,
  { client }: Prepared,
  { replyBytes }: ReplyLimits,
  watch: StreamWatch,
): Reply => {
  const ended: Ended = (said, outcome, problem) => {
    if (said && llm?.keepsReply) rememberReply(llm, client, said)
    watch.ended(said ? codecs[client].replyFacts(said) : {}, outcome, problem)
  }
  reply.body = new PassedWhole(reply.body, ended, llm?.keepsReply ? replyBytes : undefined)
  return reply
}

const remembered = (call: LlmCall, facts: StreamFacts, format: ChatFormat, limit: number): StreamFacts =>
  new RememberedFacts(facts, format, rememberStream(call, limit))

const translateStream = (
  x: Exchange,
  reply: Reply,
  { client, upstream, asked }: Prepared,
  { eventBytes }: ReplyLimits,
  watch: StreamWatch,
  stream: StreamForm,
): Reply => {
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
    events: eventsOf(stream, eventBytes),
    hear: x.llm?.keepsReply ? rememberStream(x.llm, eventBytes) : undefined,
  })
  asStream(reply)
  return reply
}

const translateWhole = async (
  x: Exchange,
  reply: Reply,
  prepared: Prepared,
  limits: ReplyLimits,
  watch: StreamWatch,
): Promise<Reply> => {
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return over(watch, bytes)
  const body = readJsonObject(bytes.toString())
  if (!body) return over(watch, replyFailed('invalid_reply', 'failed to parse response'))
  const losses = new Losses()
  const { client, upstream, asked, streaming } = prepared
  try {
    const said = codecs[upstream].decodeReply(body, losses)
    if (x.llm?.keepsReply) x.llm.replyFrom(() => saidIn(said.parts))
    const facts: ReplyFacts = { model: said.model, usage: said.usage, serviceTier: said.serviceTier }
    if (streaming) {
      // Whoever asked for a stream gets one, be it all at once.
      const encoder = codecs[client].encodeStream(asked, losses)
      withBytes(
        reply,
        Buffer.from(
          replyEvents(said)
            .map((event) => encoder.encode(event))
            .join(''),
        ),
      )
      asStream(reply)
    } else {
      const written = codecs[client].encodeReply(said, asked, losses)
      withBytes(reply, Buffer.from(JSON.stringify(written)))
      reply.headers.set('content-type', 'application/json')
    }
    addLosses(x, losses)
    watch.ended(facts, 'answered')
    return reply
  } catch (problem) {
    if (!(problem instanceof BadReply)) throw problem
    return over(watch, replyFailed('invalid_reply', `invalid response: ${problem.message}`))
  }
}

/** Those of the answer beside those of the request, each once. */
const addLosses = ({ llm }: Exchange, losses: Losses): void => {
  if (llm && losses.any) llm.dropped = [...new Set([...llm.dropped, ...losses.fields])]
}

const over = (watch: StreamWatch, reply: Reply): Reply => {
  watch.ended({}, 'failed', reply.error)
  return reply
}

const withBytes = (reply: Reply, bytes: Buffer): Reply => {
  reply.body = new BufferBody(bytes)
  reply.headers.delete('content-encoding')
  reply.headers.set('content-length', String(bytes.length))
  return reply
}

const asStream = ({ headers }: Reply): void => {
  headers.set('content-type', 'text/event-stream')
  headers.set('cache-control', 'no-cache')
  headers.delete('content-length')
}
