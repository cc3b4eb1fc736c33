import type { CrossAppAccess } from '../../model/backend-auth.ts'
import { ID_JAG } from '../../protocols/oauth/id-jag.ts'
import { CredentialFault } from './credential-fault.ts'
import type { TokenAnswer } from './token-answer.ts'
import type { RequestToken } from './token-endpoint.ts'
import type { IssuedToken } from './token-memory.ts'
import { assertionParameters, exchangeParameters } from './token-parameters.ts'

/**
 * The token of an answer, if it is one that whoever bears it may use.
 *
 * @param expected The type that was asked for; an answer that names another one is of no use.
 * @throws CredentialFault
 */
export const bearerToken = (
  { accessToken, tokenType, issuedTokenType, expiresInMs }: TokenAnswer,
  defaultTtlMs: number,
  expected?: string,
): IssuedToken => {
  if (tokenType !== 'bearer') throw unusable('the token is no bearer token')
  if (expected !== undefined && issuedTokenType !== undefined && issuedTokenType !== expected)
    throw unusable('the token is of another type than was asked for')
  return { text: accessToken, lifeMs: expiresInMs ?? defaultTtlMs }
}

/**
 * Has a token in two steps: the identity provider trades the token of the user for an assertion that it may be used with
 * the other authorization server, and that one gives a token for the assertion.
 */
export const crossAppToken = async (
  policy: CrossAppAccess,
  subject: string,
  identityProvider: RequestToken,
  authorizationServer: RequestToken,
): Promise<IssuedToken> => {
  const { audience, resources, scopes, accessTokenScopes, subjectToken, cache } = policy
  const wanted = { subjectToken, audiences: [audience], resources, scopes, requestedTokenType: ID_JAG }
  const tokens = { subject, actor: undefined, more: [] }
  const assertion = await identityProvider(exchangeParameters(wanted, tokens))
  if (assertion.issuedTokenType !== ID_JAG) throw unusable('the identity provider gave no ID-JAG')
  if (assertion.tokenType !== undefined && assertion.tokenType !== 'n_a')
    throw unusable('the identity provider gave an ID-JAG of the wrong token_type')
  const second = { audiences: [], resources: [], scopes: accessTokenScopes }
  const answer = await authorizationServer(
    assertionParameters(second, { subject: assertion.accessToken, more: [] }),
  )
  return bearerToken(answer, cache.defaultTtlMs)
}

const unusable = (why: string): CredentialFault => new CredentialFault(why, { isPermanent: true })
