import type { Reply } from '../../../model/exchange/reply.ts'
import { codingsIn, decoderFor } from '../request/content-encoding.ts'
import { decodeBody } from '../request/decoded-body.ts'
import { replyFailed } from '../refusals.ts'
import { openStream } from '../reply/stream-encoding.ts'
import { BufferedBody } from '../../body/buffered-body.ts'
import { readAhead } from '../../body/read-prefix.ts'
import { maskCredentials } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'
import { redactBody } from './redact-body.ts'

/** Whether a body must be decoded before it can be searched. */
export const isEncoded = ({ headers }: Reply): boolean => {
  const written = headers.get('content-encoding')
  return written !== undefined && codingsIn(written).length > 0
}

/**
 * Masks credentials in a body with a content encoding. A body without credentials keeps its bytes if it fits into
 * memory; a body with credentials, a stream of events, and a very long body lose their encoding.
 *
 * @returns The reply if the body cannot be decoded.
 */
export const redactEncodedBody = async (
  reply: Reply,
  pattern: CredentialPattern,
): Promise<Reply | undefined> => {
  const { headers } = reply
  const written = headers.get('content-encoding') ?? ''
  const decode = decoderFor(written)
  if (!decode) {
    reply.body.drop()
    return replyFailed('unsupported_encoding', 'unsupported content encoding of the response')
  }
  if (openStream(reply)) {
    redactBody(reply, pattern)
    return undefined
  }
  const ahead = await readAhead(reply.body, BUFFERED_BYTES)
  if ('longer' in ahead) {
    streamDecoded(reply, written, ahead.longer, pattern)
    return undefined
  }
  const { bytes, trailers } = ahead.whole
  let decoded: Buffer
  try {
    decoded = await decode(bytes, { maxOutputLength: DECODED_BYTES })
  } catch {
    return replyFailed('invalid_reply', 'failed to decode response')
  }
  const masked = maskCredentials(decoded, pattern)
  reply.body = masked === decoded ? ahead.whole : new BufferedBody(masked, trailers)
  if (masked === decoded) return undefined
  headers.delete('content-encoding')
  if (headers.has('content-length')) headers.set('content-length', String(masked.length))
  return undefined
}

const streamDecoded = (
  reply: Reply,
  written: string,
  longer: Reply['body'],
  pattern: CredentialPattern,
): void => {
  const decoded = decodeBody(longer, written)
  if (!decoded) throw new TypeError(`${written} has one decoder and not the other`)
  reply.body = decoded
  reply.headers.delete('content-encoding')
  reply.headers.delete('content-length')
  redactBody(reply, pattern)
}

/** JSON responses are shorter. */
const BUFFERED_BYTES = 4 * 1024 * 1024
/** Limit of the decoded body: a larger one is an attack. */
const DECODED_BYTES = 128 * 1024 * 1024
