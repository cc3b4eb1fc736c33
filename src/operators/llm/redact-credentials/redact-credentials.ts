import type { InformationalSink } from '../../../model/exchange/downstream-state.ts'
import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Reply } from '../../../model/exchange/reply.ts'
import { onReply, onRequest, type Operator } from '../../../pipeline/stage.ts'
import { isBodiless } from '../../body/buffer-body.ts'
import { maskCredentialText } from './credential-mask.ts'
import { CredentialPattern } from './credential-pattern.ts'
import { redactBody } from './redact-body.ts'
import { redactEncodedBody, isEncoded } from './redact-encoded.ts'
import { MaskedTunnel } from './masked-tunnel.ts'
import { sentCredentials, type CredentialLocations, rawCredentials } from './request-credentials.ts'
import { trackCache } from '../../../model/introspection/cache-usage.ts'

/**
 * Masks the gateway's own credentials in the responses of a service that may repeat them, such as in `Incorrect API
 * key provided`, with asterisks: in informational responses, the head, the body, and the tunnel. Responses without
 * them keep their bytes.
 *
 * Belongs directly around the call: later stages, logs and traces may expose the response. A response in an
 * unsupported content encoding is replaced with a 502.
 */
export const redactCredentials = (
  locations: CredentialLocations,
): { readonly request: Operator; readonly reply: Operator } => {
  /** By the raw credentials of a request; undefined if none is a secret. */
  const patterns = trackCache('credential_patterns', new Map<string, CredentialPattern | undefined>(), {
    maxEntries: MOST_PATTERNS,
  })
  const patternFor = (x: Exchange, written: string): CredentialPattern | undefined => {
    const secrets = sentCredentials(x, locations)
    // Tokens are replaced now and then, and clients may send their own queries.
    if (patterns.size >= MOST_PATTERNS) patterns.clear()
    const pattern = secrets.length ? new CredentialPattern(secrets) : undefined
    patterns.set(written, pattern)
    return pattern
  }
  const patternOf = (x: Exchange): CredentialPattern | undefined => {
    const written = rawCredentials(x, locations)
    if (written === '') return undefined
    return patterns.get(written) ?? (patterns.has(written) ? undefined : patternFor(x, written))
  }
  return {
    request: onRequest('hide-credentials', (x) => {
      const { downstream } = x
      if (downstream.informationalSink)
        downstream.informationalSink = new MaskedInformationalSink(x, downstream.informationalSink, patternOf)
      return undefined
    }),
    reply: onReply('hide-credentials', (x) => {
      const { reply } = x
      const pattern = reply && patternOf(x)
      if (!pattern) return undefined
      // The trace may contain the original body.
      if (x.probe)
        for (const secret of sentCredentials(x, locations))
          if (!x.policy.secrets?.includes(secret)) x.policy.addSecret(secret)
      return redactReply(x, reply, pattern)
    }),
  }
}

const redactReply = (
  x: Exchange,
  reply: Reply,
  pattern: CredentialPattern,
): undefined | Promise<Reply | undefined> => {
  redactHead(reply.headers.raw, pattern)
  if (reply.tunnel) reply.tunnel = new MaskedTunnel(reply.tunnel, pattern)
  if (isBodiless(x, reply) || reply.body.lengthBytes === 0) return undefined
  if (isEncoded(reply)) return redactEncodedBody(reply, pattern)
  redactBody(reply, pattern)
  return undefined
}

const redactHead = (raw: string[], pattern: CredentialPattern): void => {
  for (let i = 0; i < raw.length; i++)
    if (pattern.isIn(raw[i] as string)) raw[i] = maskCredentialText(raw[i] as string, pattern)
}

const MOST_PATTERNS = 32

/** Passes informational responses (1xx) to the client without the credentials that their fields repeat. */
class MaskedInformationalSink implements InformationalSink {
  readonly #x: Exchange
  readonly #to: InformationalSink
  readonly #patternOf: (x: Exchange) => CredentialPattern | undefined

  /** @param patternOf Called for each response, which are rare: the credentials may change until the call. */
  constructor(x: Exchange, to: InformationalSink, patternOf: (x: Exchange) => CredentialPattern | undefined) {
    this.#x = x
    // An earlier call, to this or another provider, has ended.
    this.#to = to instanceof MaskedInformationalSink ? to.#to : to
    this.#patternOf = patternOf
  }

  sendInformational(status: number, headers: readonly string[], resume: () => void): boolean {
    const pattern = this.#patternOf(this.#x)
    const shown = pattern ? headers.map((text) => maskCredentialText(text, pattern)) : headers
    return this.#to.sendInformational(status, shown, resume)
  }
}
