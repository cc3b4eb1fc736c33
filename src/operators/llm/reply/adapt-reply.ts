import type { Reply } from '../../../model/exchange/reply.ts'
import { replyFailed } from '../refusals.ts'
import { adaptError } from './adapt-error.ts'
import { passFrames, passStream, passJson } from './passthrough.ts'
import { readReply } from './read-reply.ts'
import { openStream, type StreamEncoding } from './stream-encoding.ts'
import type { ProviderReply } from './provider-reply.ts'
import { endFailed } from './stream-observer.ts'
import { translateStream, translateJson } from './translate.ts'
import { writeBytes } from './write-reply.ts'
import { traceLlmReply } from '../usage/trace-llm.ts'

/**
 * Converts a provider's response for the client. A response in the client's format passes unchanged, and is tapped;
 * others are translated, event by event or as a whole.
 */
export const adaptReply = (response: ProviderReply): Reply | Promise<Reply> => {
  const { x, reply, prepared, watch } = response
  if (reply.status < 200 || reply.status >= 300) return adaptError(x, reply, prepared, watch)
  const stream = openStream(reply)
  if (stream === 'unreadable') {
    reply.body.drop()
    return endFailed(
      watch,
      replyFailed('unsupported_encoding', 'unsupported content encoding of the response'),
    )
  }
  if (x.probe) traceLlmReply(x, stream && (stream === 'aws' ? 'awsEventStream' : 'sseJson'))
  return prepared.client === prepared.upstream ? pass(response, stream) : translate(response, stream)
}

const translate = (response: ProviderReply, stream: StreamEncoding | undefined): Reply | Promise<Reply> =>
  stream ? translateStream(response, stream) : translateJson(response)

const pass = (response: ProviderReply, stream: StreamEncoding | undefined): Reply | Promise<Reply> => {
  if (stream) return stream === 'aws' ? passFrames(response) : passStream(response)
  return response.reply.headers.has('content-encoding') ? decodeAndPass(response) : passJson(response)
}

/** An encoded response cannot be tapped while it passes. */
const decodeAndPass = async (response: ProviderReply): Promise<Reply> => {
  const { x, reply, limits, watch } = response
  const bytes = await readReply(x, reply, limits.replyBytes)
  if (!Buffer.isBuffer(bytes)) return endFailed(watch, bytes)
  writeBytes(reply, bytes)
  return passJson(response)
}
