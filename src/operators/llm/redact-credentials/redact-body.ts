import { BufferBody, type Body, type BodySink, type BufferLease } from '../../../model/exchange/body.ts'
import { PassingSink } from '../../../model/exchange/pass-through-sink.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { PassingBody } from '../../body/pass-through-body.ts'
import { AWS_STREAM_TYPE } from '../reply/event-readers.ts'
import { BufferedBody } from '../../body/buffered-body.ts'
import { maskCredentials, CredentialMask, maskCredentialText } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'
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

/** A body without the credentials that its source repeats. The length is the same. */
class MaskedBody extends PassingBody {
  readonly #pattern: CredentialPattern

  constructor(body: Body, pattern: CredentialPattern) {
    super(body)
    this.#pattern = pattern
  }

  override get knownTrailers(): readonly string[] | undefined {
    return maskTrailers(super.knownTrailers, this.#pattern)
  }

  pipe(to: BodySink): void {
    this.body.pipe(new MaskingSink(to, this.#pattern))
  }
}

class MaskingSink extends PassingSink {
  readonly #pattern: CredentialPattern
  readonly #mask: CredentialMask

  constructor(to: BodySink, pattern: CredentialPattern) {
    super(to)
    this.#pattern = pattern
    this.#mask = new CredentialMask(pattern)
  }

  override write(chunk: Uint8Array, lease?: BufferLease): boolean {
    const shown = this.#mask.push(chunk)
    if (shown === chunk) return this.to.write(chunk, lease)
    return shown.length === 0 || this.to.write(shown)
  }

  override end(trailers?: readonly string[]): void {
    const rest = this.#mask.end()
    if (rest.length) this.to.write(rest)
    this.to.end(maskTrailers(trailers, this.#pattern))
  }
}

const maskTrailers = (
  trailers: readonly string[] | undefined,
  pattern: CredentialPattern,
): readonly string[] | undefined =>
  trailers?.some((part) => pattern.isIn(part))
    ? trailers.map((part) => maskCredentialText(part, pattern))
    : trailers
