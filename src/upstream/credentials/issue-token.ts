import type { CrossAppAccess } from '../../operators/backend-auth/schema/normal-form.ts'
import { ID_JAG } from '../../protocols/oauth/id-jag.ts'
import { CredentialFault } from './credential-fault.ts'
import type { IssuedToken } from './token-cache.ts'
import type { RequestToken } from './token-endpoint.ts'
import { assertionParameters, exchangeParameters } from './token-parameters.ts'
import type { TokenResponse } from './token-response.ts'

/** Time limit for a cloud's credential. */
export const CLOUD_TIMEOUT_MS = 5_000

/**
 * Awaits a cloud credential, with a time limit. The library's own error text goes to the log only: it may quote its
 * input.
 *
 * Rejects with a `CredentialFault`.
 */
export const within = async <T>(
  what: string,
  pending: Promise<T>,
  limitMs: number = CLOUD_TIMEOUT_MS,
): Promise<T> => {
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(new CredentialFault(`${what} gave no credentials within ${limitMs / 1000} s`))
  }, limitMs)
  try {
    return await Promise.race([pending, late.promise])
  } catch (cause) {
    throw cause instanceof CredentialFault
      ? cause
      : new CredentialFault(`${what} gave no credentials`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * The token of a response, if it is a bearer token.
 *
 * @param expected The requested type; a response with another one is refused.
 * @throws CredentialFault
 */
export const bearerToken = (
  { accessToken, tokenType, issuedTokenType, expiresInMs }: TokenResponse,
  defaultTtlMs: number,
  expected?: string,
): IssuedToken => {
  if (tokenType !== 'bearer') throw unusable('the token is no bearer token')
  if (expected !== undefined && issuedTokenType !== undefined && issuedTokenType !== expected)
    throw unusable('the token is of another type than was asked for')
  return { text: accessToken, lifeMs: expiresInMs ?? defaultTtlMs }
}

/**
 * Gets a token in two steps: the identity provider exchanges the user's token for an assertion, and the other
 * authorization server issues a token for the assertion.
 */
export const crossAppToken = async (
  policy: CrossAppAccess,
  subject: string,
  identityProvider: RequestToken,
  authorizationServer: RequestToken,
): Promise<IssuedToken> => {
  const { audience, resources, scopes, accessTokenScopes, subjectToken, cache } = policy
  const request = { subjectToken, audiences: [audience], resources, scopes, requestedTokenType: ID_JAG }
  const tokens = { subject, actor: undefined, more: [] }
  const assertion = await identityProvider(exchangeParameters(request, tokens))
  if (assertion.issuedTokenType !== ID_JAG) throw unusable('the identity provider gave no ID-JAG')
  if (assertion.tokenType !== undefined && assertion.tokenType !== 'n_a')
    throw unusable('the identity provider gave an ID-JAG of the wrong token_type')
  const second = { audiences: [], resources: [], scopes: accessTokenScopes }
  const response = await authorizationServer(
    assertionParameters(second, { subject: assertion.accessToken, more: [] }),
  )
  return bearerToken(response, cache.defaultTtlMs)
}

const unusable = (why: string): CredentialFault => new CredentialFault(why, { isPermanent: true })
