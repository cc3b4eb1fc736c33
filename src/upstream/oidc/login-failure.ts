import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'

/** The failure of a login, from an error of the library. */
export const loginFailureOf = (error: unknown): LoginFailure => {
  if (error instanceof LoginFailure) return error
  // Both mean that the provider responded without a token.
  if (error instanceof ResponseBodyError)
    return new LoginFailure('token', `token exchange failed${codeIn(error.error)}`, error)
  if (error instanceof WWWAuthenticateChallengeError)
    return new LoginFailure('token', 'token exchange failed', error)
  const code = error instanceof ClientError ? error.code : undefined
  if (code === undefined || code === 'OAUTH_TIMEOUT' || code === 'OAUTH_ABORT')
    return new LoginFailure('provider', 'the identity provider did not answer', error)
  if (NO_TOKEN.has(code)) return new LoginFailure('token', 'token exchange failed', error)
  if (code === 'OAUTH_JWT_CLAIM_COMPARISON_FAILED' && claimIn(error) === 'nonce')
    return new LoginFailure('nonce', 'nonce mismatch', error)
  return new LoginFailure('id_token', 'invalid ID token', error)
}

/** The response does not conform to a token response. */
const NO_TOKEN = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'])

/** The error code of RFC 6749 §5.2, if it is one; other texts are not repeated. */
const codeIn = (word: string): string => (/^[a-z_]{1,40}$/.test(word) ? `: ${word}` : '')

/** The claim that was not as expected. The library wraps its own errors. */
const claimIn = (error: unknown): unknown => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { cause } = at
    if (typeof cause === 'object' && cause !== null && 'claim' in cause) return cause.claim
  }
  return undefined
}

/** The step of a login that failed. */
export type LoginFailureKind = 'provider' | 'token' | 'id_token' | 'nonce'

/** A login that cannot be completed. Clients may see its message; the cause is for the log. */
export class LoginFailure extends Error {
  readonly kind: LoginFailureKind

  constructor(kind: LoginFailureKind, message: string, cause: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
