import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import type { JsonObject } from '../../../protocols/json/json-object.ts'
import type { StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { errorTexts } from '../../../protocols/llm/texts/error-texts.ts'
import { replyTexts, streamTexts } from '../../../protocols/llm/texts/texts-of.ts'
import { eventsIn } from '../../../protocols/sse/event-cutter.ts'
import { EventParser, type ReceivedEvent } from '../../../protocols/sse/event-parser.ts'
import type { Guards } from '../../guard/guards.ts'
import { GuardedStream } from '../../guard-response/guarded-stream.ts'
import { HeldWatch } from '../../guard-response/held-watch.ts'
import { guardWhole } from '../../guard-response/guard-whole.ts'
import type { ReplyLimits } from './reply-limits.ts'
import type { Answering } from './ask.ts'

/** What is needed to guard answers. */
export interface GuardingParts {
  readonly guards: Guards
  /** What each guard kept of the request. */
  readonly kept: readonly unknown[]
  /** Of the client. */
  readonly format: ChatFormat
  readonly limits: ReplyLimits
}

/** Has guards look at answers once they are the client's, and at errors of the provider, which may repeat the question. */
export const guarding = (
  x: Exchange,
  { adapt }: Answering,
  { guards, kept, format, limits }: GuardingParts,
): Answering['adapt'] => {
  if (guards.response.length === 0) return adapt
  const guarded = (reply: Reply, held: HeldWatch): Reply | Promise<Reply> => {
    // What the gateway says itself repeats nothing.
    const isOwn = reply.error !== undefined
    const isAnswer = reply.status >= 200 && reply.status < 300
    if (!isOwn && isAnswer && isEventStream(reply)) {
      if (guards.streaming.mode !== 'Disabled') reply.body = guardedStream(reply, held)
      else held.release()
      return reply
    }
    held.release()
    if (isOwn) return reply
    const textsOf = isAnswer ? replyTextsOf : errorTexts
    return guardWhole(x, reply, textsOf, guards, kept, limits.replyBytes)
  }
  const replyTextsOf = (body: JsonObject) => replyTexts(format, body)
  const guardedStream = (reply: Reply, held: HeldWatch): GuardedStream => {
    const codec = codecs[format]
    const facts = codec.streamFacts()
    return new GuardedStream(reply.body, {
      x,
      texts: streamTexts(format),
      guards: guards.response,
      kept,
      streaming: guards.streaming,
      reply,
      settle: guards.settle,
      limitBytes: limits.replyBytes,
      encodeError: (error) => codec.encodeStreamError(error, facts),
      // Only where an error has to lead on from what was shown.
      shown:
        facts.pass &&
        ((events) => {
          look(facts, events)
        }),
      over: () => {
        held.release()
      },
    })
  }
  return (reply, watch) => {
    const held = new HeldWatch(watch)
    const adapted = adapt(reply, held)
    return adapted instanceof Promise ? adapted.then((made) => guarded(made, held)) : guarded(adapted, held)
  }
}

/** An error of the stream's own is to fit what the client has seen of it. */
const look = (facts: StreamFacts, events: Buffer): void => {
  facts.pass?.(events)
  if (!facts.concerns(events)) return
  const event = ({ event: name, data }: ReceivedEvent) => {
    facts.push(name, data)
  }
  const parser = new EventParser({ event, overflow: () => undefined }, events.length + 1024)
  for (const one of eventsIn(events)) if (facts.concerns(one)) parser.push(one)
}

const isEventStream = ({ headers }: Reply): boolean =>
  (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
