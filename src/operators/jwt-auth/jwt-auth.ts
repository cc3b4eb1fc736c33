import type { Exchange } from '../../model/exchange.ts'
import type { JwtMode } from '../../model/jwt.ts'
import { deny, type Reply } from '../../model/reply.ts'
import { type Decide, onRequest, type Operator, type Verdict } from '../../pipeline/stage.ts'
import { bodiesReadBy, holding } from '../body/hold.ts'
import { applied, skipped } from '../policy-note.ts'
import {
  concealCredentials,
  type CredentialSource,
  readCredentials,
  removeCredential,
} from './credential-location.ts'
import { invalid, type TokenRefusal } from './jwt/issuer.ts'
import { keysUnavailable, type TokenVerifier, type Verification } from './jwt/token-verifier.ts'

/** How tokens are found and verified. */
export interface JwtOptions {
  readonly mode: JwtMode
  readonly source: CredentialSource
  readonly verifier: Pick<TokenVerifier, 'verify'>
  /** How much of a request body the source may read, if it is an expression; a longer one is refused with 413. */
  readonly bufferLimitBytes: number
  /** Makes the 401; the usual one by default. */
  readonly unauthenticated?: (refusal: TokenRefusal, x: Exchange) => Reply
}

/**
 * Lets requests with a good JSON Web Token pass, with what it says in `x.identity`, and without the token.
 *
 * Answers 401 to others, as the mode says: `strict` wants a token, `optional` takes none for nobody in particular and
 * refuses bad ones, `permissive` takes bad ones for none. Two tokens in one place are a bad one. Where there are no keys
 * to verify with, the answer is 503 `jwt_keys_unavailable`, for that is no fault of the client.
 *
 * Belongs before everything that decides by who is calling. A route that verifies again after its gateway did looks at
 * the token that the gateway took out. Costs some 2 µs for a token it knows.
 */
export const jwt = ({
  mode,
  source,
  verifier,
  bufferLimitBytes,
  unauthenticated = unauthorized,
}: JwtOptions): Operator => {
  const refuse = (x: Exchange, refusal: TokenRefusal): Verdict => {
    if (mode === 'permissive') {
      x.probe?.note(skipped('jwt', refusal.message))
      return undefined
    }
    x.probe?.note(applied('jwt', `refused: ${refusal.message}`))
    return refusal === keysUnavailable ? unavailable() : unauthenticated(refusal, x)
  }

  const settle = (x: Exchange, answer: Verification): Verdict => {
    if (!('jwt' in answer)) return refuse(x, answer)
    x.identity = { ...x.identity, jwt: answer.jwt, token: answer.text }
    removeCredential(source, x)
    x.probe?.note(applied('jwt', 'verified the token'))
    return undefined
  }

  const decide: Decide = (x) => {
    const found = readCredentials(source, x)
    if (found.length) concealCredentials(source, x, found)
    const [text = x.identity.token, another] = found
    if (another !== undefined) return refuse(x, several)
    if (text === undefined) {
      if (mode === 'strict') return refuse(x, missing)
      x.probe?.note(skipped('jwt', 'no token'))
      return undefined
    }
    const answer = verifier.verify(text)
    return 'then' in answer ? answer.then((later) => settle(x, later)) : settle(x, answer)
  }

  const expressions = source.kind === 'expression' ? [source.expression] : []
  return onRequest('jwt', holding(bodiesReadBy(expressions), bufferLimitBytes, decide))
}

/** There is no token at all, which is no error of the client's (RFC 6750 §3.1). */
export const missing: TokenRefusal = { code: 'jwt_missing', message: 'no bearer token found' }

const several: TokenRefusal = { code: 'jwt_malformed', message: invalid('there are several') }

const unauthorized = (refusal: TokenRefusal): Reply =>
  deny(401, refusal.code, {
    message: `authentication failure: ${refusal.message}`,
    reason: 'JwtAuth',
    headers: { 'www-authenticate': refusal === missing ? 'Bearer' : 'Bearer error="invalid_token"' },
  })

const unavailable = (): Reply =>
  deny(503, keysUnavailable.code, {
    message: `processing failed: ${keysUnavailable.message}`,
    reason: 'JwtAuth',
    headers: { 'retry-after': '5' },
  })
