import { DEFAULT_BUFFER_BYTES } from '../../model/exchange/buffer-limit.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { JwtMode } from './schema.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { type Decide, onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { bodiesReadBy, withBufferedBodies } from '../body/buffer-body.ts'
import { applied, skipped } from '../trace-policy.ts'
import {
  redactSourceCredentials,
  type CredentialSource,
  expressionsIn,
  readCredentials,
  removeCredential,
} from '../credentials/credential-source.ts'
import { sourceDescription } from '../credentials/source-description.ts'
import { invalid, type TokenRefusal } from './issuer.ts'
import { keysUnavailable, type TokenVerifier, type Verification } from './token-verifier.ts'

/** How tokens are found and verified. */
export interface JwtOptions {
  readonly mode: JwtMode
  readonly source: CredentialSource
  readonly verifier: Pick<TokenVerifier, 'verify'>
  /**
   * Longest request body that an expression for the location may read, in bytes; a longer one is refused with 413. 2
   * MiB by default.
   */
  readonly bufferLimitBytes?: number | undefined
  /** Makes the 401; the default one otherwise. */
  readonly unauthenticated?: (refusal: TokenRefusal, x: Exchange) => Reply
}

/**
 * Verifies JSON Web Tokens. Requests with a valid token pass with its claims in `x.identity`, and without the token.
 *
 * Refuses others with 401, depending on the mode: `strict` requires a token, `optional` lets requests without one pass
 * unauthenticated and refuses invalid ones, `permissive` treats an invalid one as none. Two tokens at one location are
 * invalid. Where there are no keys to verify with, the reply is 503 `jwt_keys_unavailable`, since that is no fault of
 * the client.
 *
 * Belongs before everything that decides by the caller's identity. A route that verifies again after its gateway did
 * checks the token that the gateway removed. Costs some 2 µs for a cached token.
 */
export const jwtAuth = ({
  mode,
  source,
  verifier,
  bufferLimitBytes = DEFAULT_BUFFER_BYTES,
  unauthenticated = unauthorized,
}: JwtOptions): Operator => {
  const location = sourceDescription(source)
  const absent =
    location === '' ? missingToken : { ...missingToken, message: missingToken.message + location }

  const refuse = (x: Exchange, refusal: TokenRefusal): Verdict => {
    if (mode === 'permissive') {
      x.probe?.record(skipped('jwt', refusal.message))
      return undefined
    }
    x.probe?.record(applied('jwt', `refused: ${refusal.message}`))
    return refusal === keysUnavailable ? unavailable() : unauthenticated(refusal, x)
  }

  const apply = (x: Exchange, result: Verification): Verdict => {
    if (!('jwt' in result)) return refuse(x, result)
    x.identity = { ...x.identity, jwt: result.jwt, token: result.text }
    removeCredential(source, x)
    x.probe?.record(applied('jwt', 'verified the token'))
    return undefined
  }

  const decide: Decide = (x) => {
    const found = readCredentials(source, x)
    if (found.length) redactSourceCredentials(source, x, found)
    const [text = x.identity.token, another] = found
    if (another !== undefined) return refuse(x, several)
    if (text === undefined) {
      if (mode === 'strict') return refuse(x, absent)
      x.probe?.record(skipped('jwt', 'no token'))
      return undefined
    }
    const result = verifier.verify(text)
    return 'then' in result ? result.then((later) => apply(x, later)) : apply(x, result)
  }

  return onRequest('jwt', withBufferedBodies(bodiesReadBy(expressionsIn(source)), bufferLimitBytes, decide))
}

/** The request has no token, which is no error of the client (RFC 6750 §3.1). */
export const missingToken: TokenRefusal = { code: 'jwt_missing', message: 'no bearer token found' }

const several: TokenRefusal = { code: 'jwt_malformed', message: invalid('there are several') }

const unauthorized = (refusal: TokenRefusal): Reply =>
  deny(401, refusal.code, {
    message: `authentication failure: ${refusal.message}`,
    reason: 'JwtAuth',
    headers: {
      'www-authenticate': refusal.code === missingToken.code ? 'Bearer' : 'Bearer error="invalid_token"',
    },
  })

const unavailable = (): Reply =>
  deny(503, keysUnavailable.code, {
    message: `processing failed: ${keysUnavailable.message}`,
    reason: 'JwtAuth',
    headers: { 'retry-after': '5' },
  })
