import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { LoginFailure } from './login-failure.ts'

/** What went wrong with a login, out of what the library threw. */
export const loginFailureOf = (error: unknown): LoginFailure => {
  if (error instanceof LoginFailure) return error
  // Both mean that the provider answered, and gave no token.
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

/** The answer is not what an answer to a code has to be. */
const NO_TOKEN = new Set(['OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_PARSE_ERROR'])

/** The word of RFC 6749 §5.2 for what is wrong, if it is one and not a text that somebody made up. */
const codeIn = (word: string): string => (/^[a-z_]{1,40}$/.test(word) ? `: ${word}` : '')

/** Which claim was not as expected. The library wraps its own errors. */
const claimIn = (error: unknown): unknown => {
  for (let at = error; at instanceof Error; at = at.cause) {
    const { cause } = at
    if (typeof cause === 'object' && cause !== null && 'claim' in cause) return cause.claim
  }
  return undefined
}
