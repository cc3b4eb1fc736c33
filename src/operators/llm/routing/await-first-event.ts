import type { Reply } from '../../../model/exchange/reply.ts'
import type { ChatEvent } from '../../../protocols/llm/chat/events.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { readAhead } from '../../body/read-prefix.ts'
import { eventsOf } from '../reply/event-readers.ts'
import { openStream } from '../reply/stream-encoding.ts'

/**
 * Reads a stream up to its first event and returns the problem if that is an error, or if there is none: some providers
 * report overload only after status 200. Comments and keep-alives do not count. Nothing of the stream is lost.
 *
 * @param eventBytes Longest event.
 * @param awaitsToken Waits for a part of the content, not just for the beginning of the response.
 * @throws Fault of what breaks the stream before that.
 */
export const firstEvent = async (
  reply: Reply,
  format: ChatFormat,
  eventBytes: number,
  awaitsToken: boolean,
): Promise<string | undefined> => {
  const stream = openStream(reply)
  if (!stream) return undefined
  if (stream === 'unreadable') return 'the stream has an unknown content encoding'
  const seen: { problem?: string; begun?: true } = {}
  const decoder = codecs[format].decodeStream()
  const onEvent = (event: ChatEvent): void => {
    if (event.type === 'error') seen.problem ??= event.error.message
    else if (!awaitsToken || !beforeToken.has(event.type)) seen.begun = true
  }
  const source = eventsOf(
    stream,
    eventBytes,
  )({
    event: (name, data) => {
      decoder.push(name, data, onEvent)
    },
    broken: (why) => {
      seen.problem ??= why
    },
  })
  const ahead = await readAhead(reply.body, eventBytes, (chunk) => {
    source.push(chunk)
    return seen.begun ?? seen.problem !== undefined
  })
  if ('longer' in ahead) {
    reply.body = ahead.longer
    return seen.problem
  }
  reply.body = ahead.whole
  source.end()
  decoder.end(onEvent)
  return seen.begun ? undefined : 'the stream ended before it began'
}

/** Events that may precede the model's output. */
const beforeToken: ReadonlySet<ChatEvent['type']> = new Set(['start', 'usage', 'open'])
