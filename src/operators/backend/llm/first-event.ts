import { BufferBody } from '../../../model/body.ts'
import { Fault } from '../../../model/fault.ts'
import type { Reply } from '../../../model/reply.ts'
import type { ChatFormat } from '../../../protocols/llm/format.ts'
import { codecs } from '../../../protocols/llm/codecs.ts'
import { readAhead } from '../../body/read-ahead.ts'
import { AWS_STREAM, awsEvents, sseEvents } from './event-sources.ts'

/**
 * Waits for the first bytes of a stream, and says what is wrong if the stream begins with an error: some providers say
 * 200 first and that they are overloaded then. Nothing of the stream is lost.
 *
 * @param limitMs How long the first bytes may take; undefined: for ever.
 * @throws Fault `upstream_timeout`, and whatever breaks the stream before its first byte.
 */
export const firstEvent = async (
  reply: Reply,
  format: ChatFormat,
  limitMs: number | undefined,
  eventBytes: number,
): Promise<string | undefined> => {
  const { body } = reply
  const ahead = await within(limitMs, readAhead(body, 0), () => {
    body.drop()
  })
  if ('whole' in ahead) {
    reply.body = new BufferBody('')
    return 'the stream ended before it began'
  }
  const first = ahead.longer.arrived()
  reply.body = ahead.longer
  let problem: string | undefined
  const decoder = codecs[format].decodeStream()
  const isAws = reply.headers.get('content-type')?.startsWith(AWS_STREAM)
  const source = (isAws ? awsEvents : sseEvents)(eventBytes)({
    event: (name, data) => {
      decoder.push(name, data, (event) => {
        if (event.type === 'error') problem ??= event.error.message
      })
    },
    broken: (why) => {
      problem ??= why
    },
  })
  source.push(first)
  return problem
}

const within = <T>(limitMs: number | undefined, promise: Promise<T>, late: () => void): Promise<T> => {
  if (limitMs === undefined) return promise
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      late()
      reject(
        new Fault('upstream_timeout', 'upstream call timeout', {
          status: 504,
          reason: 'Timeout',
          cause: `no token within ${String(limitMs)} ms`,
        }),
      )
    }, limitMs)
    promise.then(resolve, reject).finally(() => {
      clearTimeout(timer)
    })
  })
}
