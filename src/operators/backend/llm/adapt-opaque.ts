import type { Reply } from '../../../model/reply.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { addUsage, realtimeUsage } from '../../../protocols/llm/realtime.ts'
import type { Usage } from '../../../protocols/llm/usage.ts'
import { TextMessages } from '../../../protocols/websocket/text-messages.ts'
import type { Heard } from './heard.ts'
import { PassedWhole } from './passed-whole.ts'
import type { StreamWatch } from './stream-watch.ts'

/** Longer messages of a realtime conversation hold sound, and no figures. */
const REALTIME_LIMIT_BYTES = 1024 * 1024

/** What goes by unchanged is looked at for figures where it may have some: JSON answers, and realtime conversations. */
export const adaptOpaque = (reply: Reply, { type }: Heard, watch: StreamWatch): Reply => {
  if (reply.tunnel) listen(reply.tunnel, watch)
  else if (type === 'detect' && isJson(reply))
    reply.body = new PassedWhole(reply.body, (said, outcome, problem) => {
      watch.ended(said ? codecs.responses.replyFacts(said) : {}, outcome, problem)
    })
  else watch.ended({}, reply.status < 400 ? 'answered' : 'refused')
  return reply
}

const isJson = ({ headers, status }: Reply): boolean =>
  status < 300 && (headers.get('content-type')?.includes('json') ?? false) && !headers.has('content-encoding')

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
