import type { Exchange } from '../../../model/exchange.ts'
import type { Reply } from '../../../model/reply.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { streamTexts } from '../../../protocols/llm/texts/texts-of.ts'
import type { Guards } from '../../guard/guards.ts'
import { GuardedStream } from '../../guard-response/guarded-stream.ts'
import { guardWhole } from '../../guard-response/guard-whole.ts'
import type { ReplyLimits } from './adapt-reply.ts'
import type { Answering } from './ask.ts'
import type { WatchedBody } from './stream-watch.ts'

/** What is needed to guard answers. */
export interface GuardingParts {
  readonly guards: Guards
  /** What each guard kept of the request. */
  readonly kept: readonly unknown[]
  /** Of the client. */
  readonly format: ChatFormat
  readonly limits: ReplyLimits
}

/** Has guards look at answers once they are the client's; errors of the provider are none. */
export const guarding = (
  x: Exchange,
  { adapt }: Answering,
  { guards, kept, format, limits }: GuardingParts,
): Answering['adapt'] => {
  if (guards.response.length === 0) return adapt
  const guarded = (reply: Reply): Reply | Promise<Reply> => {
    if (reply.error !== undefined || reply.status < 200 || reply.status >= 300) return reply
    if (!isEventStream(reply)) return guardWhole(x, reply, format, guards, kept, limits.replyBytes)
    if (guards.streaming.mode === 'Disabled') return reply
    const codec = codecs[format]
    reply.body = new GuardedStream(reply.body as WatchedBody, {
      x,
      texts: streamTexts(format),
      guards: guards.response,
      kept,
      streaming: guards.streaming,
      reply,
      settle: guards.settle,
      limitBytes: limits.replyBytes,
      encodeError: (error) => codec.encodeStreamError(error),
    })
    return reply
  }
  return (reply, watch) => {
    const adapted = adapt(reply, watch)
    return adapted instanceof Promise ? adapted.then(guarded) : guarded(adapted)
  }
}

const isEventStream = ({ headers }: Reply): boolean =>
  (headers.get('content-type') ?? '').toLowerCase().startsWith('text/event-stream')
