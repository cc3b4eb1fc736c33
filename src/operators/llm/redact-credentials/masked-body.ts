import type { Body, BodySink, BufferLease } from '../../../model/exchange/body.ts'
import { PassingSink } from '../../../model/exchange/pass-through-sink.ts'
import { PassingBody } from '../../body/pass-through-body.ts'
import { CredentialMask, maskCredentialText } from './credential-mask.ts'
import type { CredentialPattern } from './credential-pattern.ts'

/** A body without the credentials that its source repeats. The length is the same. */
export class MaskedBody extends PassingBody {
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
