import { BufferBody } from '../../../model/exchange/body.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { AWS_STREAM_TYPE } from '../reply/event-readers.ts'
import { BufferedBody } from '../../body/buffered-body.ts'
import { maskCredentials } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'
import { MaskedBody } from './masked-body.ts'
import { MaskedFrames } from './masked-frames.ts'

/** Masks credentials in a body without a content encoding. */
export const redactBody = (reply: Reply, pattern: CredentialPattern): void => {
  const { body, headers } = reply
  if ((headers.get('content-type') ?? '').toLowerCase().startsWith(AWS_STREAM_TYPE))
    reply.body = new MaskedFrames(body, pattern)
  else if (!(body instanceof BufferBody)) reply.body = new MaskedBody(body, pattern)
  else {
    const masked = maskCredentials(body.bytes, pattern)
    if (masked !== body.bytes)
      reply.body = new BufferedBody(masked, body instanceof BufferedBody ? body.trailers : undefined)
  }
}
