import type { Body } from '../../../model/body.ts'
import type { LlmRouteType } from '../../../model/llm.ts'
import type { Reply } from '../../../model/reply.ts'
import type { StreamFacts } from '../../../protocols/llm/chat/codec.ts'
import { DetectedStreamFacts, detectedReplyFacts } from '../../../protocols/llm/detect/facts.ts'
import { InvokeStreamFacts, invokeReplyFacts, invokeUsageSaid } from '../../../protocols/llm/invoke/facts.ts'
import { addUsage, realtimeUsage } from '../../../protocols/llm/realtime.ts'
import type { Usage } from '../../../protocols/llm/usage.ts'
import { TextMessages } from '../../../protocols/websocket/text-messages.ts'
import type { ReplyLimits } from './reply-limits.ts'
import { openStream, type StreamForm } from './open-stream.ts'
import { OverheardStream } from './overheard-stream.ts'
import { PassedWhole } from './passed-whole.ts'
import type { StreamWatch } from './stream-watch.ts'

/** Longer messages of a realtime conversation hold sound, and no figures. */
const REALTIME_LIMIT_BYTES = 1024 * 1024

/**
 * What goes by unchanged is looked at for figures where it may have some: JSON answers and streams, realtime conversations,
 * and what the models of Bedrock say.
 *
 * @param eventBytes Longest event.
 */
export const adaptOpaque = (
  reply: Reply,
  type: LlmRouteType,
  watch: StreamWatch,
  { eventBytes }: Pick<ReplyLimits, 'eventBytes'>,
): Reply => {
  if (reply.tunnel) listen(reply.tunnel, watch)
  else if (type === 'invoke' && reply.status < 300) hearInvoked(reply, watch, eventBytes)
  else if (type === 'detect' && isPlain(reply, 'json'))
    reply.body = new PassedWhole(reply.body, (said, outcome, problem) => {
      watch.ended(said ? detectedReplyFacts(said) : {}, outcome, problem)
    })
  else if (type === 'detect' && isPlain(reply, 'text/event-stream'))
    reply.body = overheard(reply, 'sse', new DetectedStreamFacts(), watch, eventBytes)
  else watch.ended({}, reply.status < 400 ? 'answered' : 'refused')
  return reply
}

const hearInvoked = (reply: Reply, watch: StreamWatch, eventBytes: number): void => {
  // Before anybody changes the headers.
  const used = invokeUsageSaid(reply.headers)
  if (openStream(reply) === 'aws')
    reply.body = overheard(reply, 'aws', new InvokeStreamFacts(), watch, eventBytes)
  else
    reply.body = new PassedWhole(reply.body, (said, outcome, problem) => {
      watch.ended(invokeReplyFacts(used, said), outcome, problem)
    })
}

const overheard = (
  { body }: Reply,
  form: StreamForm,
  facts: StreamFacts,
  watch: StreamWatch,
  limitBytes: number,
): Body => new OverheardStream(body, { form, facts, watch, limitBytes })

const isPlain = ({ headers, status }: Reply, type: string): boolean =>
  status < 300 && (headers.get('content-type')?.includes(type) ?? false) && !headers.has('content-encoding')

const listen = (tunnel: NonNullable<Reply['tunnel']>, watch: StreamWatch): void => {
  let usage: Usage | undefined
  const messages = new TextMessages((text) => {
    const used = realtimeUsage(text)
    if (used) usage = addUsage(usage, used)
  }, REALTIME_LIMIT_BYTES)
  tunnel.on('data', (chunk: Buffer) => {
    messages.push(chunk)
  })
  const over = (): void => {
    watch.ended({ usage }, 'answered')
  }
  // The client may be gone, and its line in the log written, before both sides have closed.
  tunnel.once('end', over)
  tunnel.once('close', over)
}
