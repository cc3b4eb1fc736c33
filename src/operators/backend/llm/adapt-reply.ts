import type { Reply } from '../../../model/reply.ts'
import { adaptError } from './adapt-error.ts'
import type { ArrivedReply } from './arrived-reply.ts'
import { replyFailed } from './llm-refusal.ts'
import { openStream, type StreamForm } from './open-stream.ts'
import { passFrames, passStream, passWhole } from './pass-reply.ts'
import { readReply } from './read-reply.ts'
import { endFailed } from './stream-watch.ts'
import { tellReply } from './tell-trace.ts'
import { translateStream, translateWhole } from './translate-reply.ts'
import { writeBytes } from './write-reply.ts'

/**
 * Makes of a provider's answer the one that the client gets. In the client's own format it passes as it comes, and is
 * looked at; otherwise it is translated, event by event or as a whole.
 */
export const adaptReply = (arrived: ArrivedReply): Reply | Promise<Reply> => {
  const { x, reply, prepared, watch } = arrived
  if (reply.status < 200 || reply.status >= 300) return adaptError(x, reply, prepared, watch)
  const stream = openStream(reply)
  if (stream === 'unreadable') {
    reply.body.drop()
    return endFailed(
      watch,
      replyFailed('unsupported_encoding', 'unsupported content encoding of the response'),
    )
  }
  if (x.probe) tellReply(x, stream && (stream === 'aws' ? 'awsEventStream' : 'sseJson'))
  return prepared.client === prepared.upstream ? pass(arrived, stream) : translate(arrived, stream)
}

const translate = (arrived: ArrivedReply, stream: StreamForm | undefined): Reply | Promise<Reply> =>
  stream ? translateStream(arrived, stream) : translateWhole(arrived)

const pass = (arrived: ArrivedReply, stream: StreamForm | undefined): Reply | Promise<Reply> => {
  if (stream) return stream === 'aws' ? passFrames(arrived) : passStream(arrived)
  return arrived.reply.headers.has('content-encoding') ? decodeAndPass(arrived) : passWhole(arrived)
}

/** What is encoded could not be looked at while it passes. */
const decodeAndPass = async (arrived: ArrivedReply): Promise<Reply> => {
  const { x, reply, limits, watch } = arrived
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  writeBytes(reply, bytes)
  return passWhole(arrived)
}
