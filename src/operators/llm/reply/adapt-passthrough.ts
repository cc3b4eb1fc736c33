import type { Body } from '../../../model/exchange/body.ts'
import type { LlmRouteType } from '../../../model/llm/llm-backend.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { StreamAttributes } from '../../../protocols/llm/chat/codec.ts'
import {
  DetectedStreamAttributes,
  detectedReplyAttributes,
} from '../../../protocols/llm/detect/attributes.ts'
import {
  InvokeStreamAttributes,
  invokeReplyAttributes,
  invokeUsageHeaders,
} from '../../../protocols/llm/invoke/attributes.ts'
import { addUsage, realtimeUsage } from '../../../protocols/llm/realtime.ts'
import type { Usage } from '../../../protocols/llm/usage.ts'
import { TextMessages } from '../../../protocols/websocket/text-messages.ts'
import type { ReplyLimits } from './provider-reply.ts'
import { openStream, type StreamEncoding } from './stream-encoding.ts'
import { TappedStream } from './tapped-stream.ts'
import { PassthroughBody } from './passthrough-body.ts'
import type { StreamObserver } from './stream-observer.ts'

/** Longer messages of a realtime session are audio, without usage. */
const REALTIME_LIMIT_BYTES = 1024 * 1024

/**
 * Taps usage from responses that pass unchanged: JSON responses and streams, realtime sessions, and the models of
 * Bedrock.
 *
 * @param eventBytes Longest event.
 */
export const adaptPassthrough = (
  reply: Reply,
  type: LlmRouteType,
  watch: StreamObserver,
  { eventBytes }: Pick<ReplyLimits, 'eventBytes'>,
): Reply => {
  if (reply.tunnel) tapTunnel(reply.tunnel, watch)
  else if (type === 'invoke' && reply.status < 300) tapInvoke(reply, watch, eventBytes)
  else if (type === 'detect' && isPlain(reply, 'json'))
    reply.body = new PassthroughBody(reply.body, (json, outcome, problem) => {
      watch.ended(json ? detectedReplyAttributes(json) : {}, outcome, problem)
    })
  else if (type === 'detect' && isPlain(reply, 'text/event-stream'))
    reply.body = tapped(reply, 'sse', new DetectedStreamAttributes(), watch, eventBytes)
  else watch.ended({}, reply.status < 400 ? 'answered' : 'refused')
  return reply
}

const tapInvoke = (reply: Reply, watch: StreamObserver, eventBytes: number): void => {
  // Before the headers are changed.
  const used = invokeUsageHeaders(reply.headers)
  if (openStream(reply) === 'aws')
    reply.body = tapped(reply, 'aws', new InvokeStreamAttributes(), watch, eventBytes)
  else
    reply.body = new PassthroughBody(reply.body, (json, outcome, problem) => {
      watch.ended(invokeReplyAttributes(used, json), outcome, problem)
    })
}

const tapped = (
  { body }: Reply,
  form: StreamEncoding,
  attributes: StreamAttributes,
  watch: StreamObserver,
  limitBytes: number,
): Body => new TappedStream(body, { form, attributes, watch, limitBytes })

const isPlain = ({ headers, status }: Reply, type: string): boolean =>
  status < 300 && (headers.get('content-type')?.includes(type) ?? false) && !headers.has('content-encoding')

const tapTunnel = (tunnel: NonNullable<Reply['tunnel']>, watch: StreamObserver): void => {
  let usage: Usage | undefined
  const messages = new TextMessages((text) => {
    const used = realtimeUsage(text)
    if (used) usage = addUsage(usage, used)
  }, REALTIME_LIMIT_BYTES)
  tunnel.on('data', (chunk: Buffer) => {
    messages.push(chunk)
  })
  const onEnd = (): void => {
    watch.ended({ usage }, 'answered')
  }
  // The client may have disconnected, and the access log may be written, before both sides have closed.
  tunnel.once('end', onEnd)
  tunnel.once('close', onEnd)
}
