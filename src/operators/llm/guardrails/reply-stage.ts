import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import type { StreamAttributes } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { errorTexts } from '../../../protocols/llm/texts/error-texts.ts'
import { replyTexts, streamTexts } from '../../../protocols/llm/texts/extract-texts.ts'
import { eventsIn } from '../../../protocols/sse/event-splitter.ts'
import { EventParser, type ReceivedEvent } from '../../../protocols/sse/event-parser.ts'
import type { Guards } from './guard.ts'
import { GuardedStream } from './stream/guarded-stream.ts'
import { DeferredEnd } from './stream/deferred-end.ts'
import { guardBuffered } from './stream/guard-buffered.ts'
import type { ReplyLimits } from '../reply/provider-reply.ts'
import type { PreparedCall } from '../routing/provider-call.ts'

/** What is needed to check responses. */
export interface ReplyGuardOptions {
  readonly guards: Guards
  /** What each guard saved of the request. */
  readonly kept: readonly unknown[]
  /** The client's format. */
  readonly format: ChatFormat
  readonly limits: ReplyLimits
}

/**
 * Adds guards to the conversion of a response. They check the response in the client's format, and errors of the
 * provider, which may repeat the prompt.
 */
export const guardReplies = (
  x: Exchange,
  { adapt }: PreparedCall,
  { guards, kept, format, limits }: ReplyGuardOptions,
): PreparedCall['adapt'] => {
  if (guards.response.length === 0) return adapt
  const guardReply = (reply: Reply, end: DeferredEnd): Reply | Promise<Reply> => {
    // Local replies repeat nothing of the response.
    const isOwn = reply.error !== undefined
    const isSuccess = reply.status >= 200 && reply.status < 300
    if (!isOwn && isSuccess && isEventStream(reply)) {
      if (guards.streaming.mode !== 'Disabled') reply.body = guardedStream(reply, end)
      else end.release()
      return reply
    }
    end.release()
    if (isOwn) return reply
    const textsOf = isSuccess ? replyTextsOf : errorTexts
    return guardBuffered(x, reply, textsOf, guards, kept, limits.replyBytes)
  }
  const replyTextsOf = (body: JsonObject) => replyTexts(format, body)
  const guardedStream = (reply: Reply, end: DeferredEnd): GuardedStream => {
    const codec = codecs[format]
    const attributes = codec.streamAttributes()
    return new GuardedStream(reply.body, {
      x,
      texts: streamTexts(format),
      guards: guards.response,
      kept,
      streaming: guards.streaming,
      reply,
      onGuardEnd: guards.onGuardEnd,
      limitBytes: limits.replyBytes,
      encodeError: (error) => codec.encodeStreamError(error, attributes),
      // Only for formats whose error event must continue what was already sent.
      shown:
        attributes.pass &&
        ((events) => {
          recordSent(attributes, events)
        }),
      over: () => {
        end.release()
      },
    })
  }
  return (reply, watch) => {
    const end = new DeferredEnd(watch)
    const adapted = adapt(reply, end)
    return adapted instanceof Promise
      ? adapted.then((made) => guardReply(made, end))
      : guardReply(adapted, end)
  }
}

/** Records what the client got, so that an error event fits it. */
const recordSent = (attributes: StreamAttributes, events: Buffer): void => {
  attributes.pass?.(events)
  if (!attributes.concerns(events)) return
  const event = ({ event: name, data }: ReceivedEvent) => {
    attributes.push(name, data)
  }
  const parser = new EventParser({ event, overflow: () => undefined }, events.length + 1024)
  for (const one of eventsIn(events)) if (attributes.concerns(one)) parser.push(one)
}

const isEventStream = ({ headers }: Reply): boolean =>
  (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
