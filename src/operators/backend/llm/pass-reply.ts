import type { LlmCall } from '../../../model/llm-call.ts'
import type { Reply } from '../../../model/reply.ts'
import type { StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { hideUsage } from '../../../protocols/llm/completions/hide-usage.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import type { ArrivedReply } from './arrived-reply.ts'
import { OverheardStream } from './overheard-stream.ts'
import { PassedStream } from './passed-stream.ts'
import { type Ended, PassedWhole } from './passed-whole.ts'
import { RememberedFacts, rememberReply, rememberStream } from './remember.ts'

/** Lets the events of a stream through, and looks at them; usage that only the gateway asked for is taken out. */
export const passStream = ({ x, reply, prepared, limits, watch }: ArrivedReply): Reply => {
  const { client, hidesUsage } = prepared
  const { eventBytes } = limits
  const codec = codecs[client]
  const facts = codec.streamFacts()
  reply.body = new PassedStream(reply.body, {
    facts: x.llm?.keepsReply ? remembered(x.llm, facts, client, eventBytes) : facts,
    watch,
    limitBytes: eventBytes,
    show: hidesUsage ? hideUsage : undefined,
    encodeError: (error) => codec.encodeStreamError(error, facts),
  })
  reply.headers.delete('content-length')
  return reply
}

/** Lets a stream in the frames of AWS through to the byte, and looks at what is in them. */
export const passFrames = ({ x, reply, prepared, limits, watch }: ArrivedReply): Reply => {
  const { client } = prepared
  const { eventBytes } = limits
  const facts = codecs[client].streamFacts()
  reply.body = new OverheardStream(reply.body, {
    form: 'aws',
    facts: x.llm?.keepsReply ? remembered(x.llm, facts, client, eventBytes) : facts,
    watch,
    limitBytes: eventBytes,
  })
  return reply
}

/** Lets an answer that is one JSON text through, and looks at it. */
export const passWhole = ({
  x: { llm },
  reply,
  prepared: { client },
  limits,
  watch,
}: ArrivedReply): Reply => {
  const ended: Ended = (said, outcome, problem) => {
    if (said && llm?.keepsReply) rememberReply(llm, client, said)
    watch.ended(said ? codecs[client].replyFacts(said) : {}, outcome, problem)
  }
  reply.body = new PassedWhole(reply.body, ended, llm?.keepsReply ? limits.replyBytes : undefined)
  return reply
}

const remembered = (call: LlmCall, facts: StreamFacts, format: ChatFormat, limit: number): StreamFacts =>
  new RememberedFacts(facts, format, rememberStream(call, limit))
