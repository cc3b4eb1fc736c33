import type { LlmCall } from '../../../model/llm/llm-call.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { StreamAttributes } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { hideUsage } from '../../../protocols/llm/completions/hide-usage.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import type { ProviderReply } from './provider-reply.ts'
import { TappedStream } from './tapped-stream.ts'
import { PassthroughStream } from './passthrough-stream.ts'
import { type OnReplyEnd, PassthroughBody } from './passthrough-body.ts'
import { CapturedContent, captureReply, captureStream } from '../usage/capture-content.ts'

/** Passes the events of a stream unchanged, and taps them; usage that only the gateway requested is removed. */
export const passStream = ({ x, reply, prepared, limits, watch }: ProviderReply): Reply => {
  const { client, hidesUsage } = prepared
  const { llm } = x.protocol
  const { eventBytes } = limits
  const codec = codecs[client]
  const attributes = codec.streamAttributes()
  reply.body = new PassthroughStream(reply.body, {
    attributes: llm?.keepsReply ? withCapture(llm, attributes, client, eventBytes) : attributes,
    watch,
    limitBytes: eventBytes,
    filter: hidesUsage ? hideUsage : undefined,
    encodeError: (error) => codec.encodeStreamError(error, attributes),
  })
  reply.headers.delete('content-length')
  return reply
}

/** Passes a stream of AWS frames byte for byte, and taps the payloads. */
export const passFrames = ({ x, reply, prepared, limits, watch }: ProviderReply): Reply => {
  const { client } = prepared
  const { llm } = x.protocol
  const { eventBytes } = limits
  const attributes = codecs[client].streamAttributes()
  reply.body = new TappedStream(reply.body, {
    form: 'aws',
    attributes: llm?.keepsReply ? withCapture(llm, attributes, client, eventBytes) : attributes,
    watch,
    limitBytes: eventBytes,
  })
  return reply
}

/** Passes a JSON response unchanged, and taps it. */
export const passJson = ({ x, reply, prepared: { client }, limits, watch }: ProviderReply): Reply => {
  const { llm } = x.protocol
  const onEnd: OnReplyEnd = (json, outcome, problem) => {
    if (json && llm?.keepsReply) captureReply(llm, client, json)
    watch.ended(json ? codecs[client].replyAttributes(json) : {}, outcome, problem)
  }
  reply.body = new PassthroughBody(reply.body, onEnd, llm?.keepsReply ? limits.replyBytes : undefined)
  return reply
}

const withCapture = (
  call: LlmCall,
  attributes: StreamAttributes,
  format: ChatFormat,
  limit: number,
): StreamAttributes => new CapturedContent(attributes, format, captureStream(call, limit))
