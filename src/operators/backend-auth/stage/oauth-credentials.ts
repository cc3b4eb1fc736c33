import { createHash } from 'node:crypto'
import type { CompileContext } from '../../../config/compile/compile-context.ts'
import { credentialSource } from '../../../config/compile/credential-sources.ts'
import { bearerLocation } from '../../../model/policies/credential-location.ts'
import type { UpstreamCredential } from '../backend-auth.ts'
import type {
  ClientAuth,
  ClientCredentials,
  CrossAppAccess,
  OauthTokenExchange,
  TokenEndpoint,
} from '../schema/normal-form.ts'
import { cachedToken } from '../token-cache.ts'
import { exchangeToken } from '../token-exchange.ts'
import { callTimeoutMs } from '../../callout/stage/callout-policies.ts'
import { compileHttpCallout } from '../../callout/stage/http-callout.ts'
import { clientAuthentication } from '../../../upstream/credentials/client-authentication.ts'
import { bearerToken, crossAppToken } from '../../../upstream/credentials/issue-token.ts'
import { TokenCache } from '../../../upstream/credentials/token-cache.ts'
import { type RequestToken, tokenEndpoint } from '../../../upstream/credentials/token-endpoint.ts'
import {
  assertionParameters,
  exchangeParameters,
  targetParameters,
} from '../../../upstream/credentials/token-parameters.ts'

/** The token cache of a policy. It survives reloads that do not change the policy. */
export const keptTokens = (
  policy: object,
  maxEntries: number,
  { session, evicted }: CompileContext,
): TokenCache => {
  const identity = createHash('sha256').update(JSON.stringify(policy)).digest('base64url')
  return session.keep(`tokens ${identity}`, () => {
    const onEvict = maxEntries > 1 ? () => evicted('backend_tokens') : undefined
    return new TokenCache({ maxEntries, evicted: onEvict })
  })
}

/** A token from a token exchange. */
export const exchanged = (policy: OauthTokenExchange, context: CompileContext): UpstreamCredential => {
  const request = endpoint(policy, policy.clientAuth, true, context)
  const parameters = policy.grantType === 'jwtBearer' ? assertionParameters : exchangeParameters
  const { actorToken, cache } = policy
  return exchangeToken({
    kind: 'oauthTokenExchange',
    location: policy.authorizationLocation,
    subject: credentialSource(policy.subjectToken.source, context),
    actor: actorToken && {
      source: credentialSource(actorToken.source, context),
      enforceMayAct: actorToken.enforceMayAct,
    },
    more: policy.additionalParams.map(([name, value]) => [name, context.expression(value)] as const),
    cache: keptTokens(policy, cache.maxEntries, context),
    issue: async (tokens) =>
      bearerToken(await request(parameters(policy, tokens)), cache.defaultTtlMs, policy.requestedTokenType),
  })
}

/** A token from a token exchange in two steps. */
export const crossApp = (policy: CrossAppAccess, context: CompileContext): UpstreamCredential => {
  const { identityProvider, resourceAuthorizationServer: server, cache } = policy
  const first = endpoint(identityProvider, identityProvider.clientAuth, true, context)
  const second = endpoint(server, server.clientAuth, false, context)
  return exchangeToken({
    kind: 'crossAppAccess',
    location: bearerLocation,
    subject: credentialSource(policy.subjectToken.source, context),
    actor: undefined,
    more: [],
    cache: keptTokens(policy, cache.maxEntries, context),
    issue: ({ subject }) => crossAppToken(policy, subject, first, second),
  })
}

/** A token of the gateway itself. */
export const owned = (policy: ClientCredentials, context: CompileContext): UpstreamCredential => {
  const { clientAuth, requestFormat, additionalParams, location } = policy
  const request = endpoint(policy, clientAuth, false, context, requestFormat)
  const parameters = [
    ['grant_type', 'client_credentials'] as const,
    ...targetParameters(policy),
    ...additionalParams,
  ]
  const tokenRequest = {
    key: '',
    issue: async () => bearerToken(await request(parameters), policy.defaultTtlMs),
  }
  return cachedToken({
    kind: 'clientCredentials',
    location,
    cache: keptTokens(policy, 1, context),
    tokenRequest: () => tokenRequest,
  })
}

const endpoint = (
  target: TokenEndpoint,
  clientAuth: ClientAuth | undefined,
  isForClient: boolean,
  context: CompileContext,
  format: 'form' | 'json' = 'form',
): RequestToken =>
  tokenEndpoint({
    callout: compileHttpCallout(target, 'Http', context),
    path: target.path,
    timeoutMs: callTimeoutMs(target, context, TIMEOUT_MS),
    format,
    proof: clientAuth && clientAuthentication(clientAuth),
    isForClient,
  })

const TIMEOUT_MS = 10_000
