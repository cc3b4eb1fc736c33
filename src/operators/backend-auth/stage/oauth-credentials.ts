import type {
  ClientAuth,
  ClientCredentials,
  CrossAppAccess,
  OauthTokenExchange,
  TokenEndpoint,
} from '../../model/backend-auth.ts'
import { bearerPlace } from '../../model/credential-location.ts'
import type { UpstreamCredential } from '../../operators/auth/authenticate-upstream.ts'
import { exchangeToken } from '../../operators/auth/exchange-token.ts'
import { rememberedToken } from '../../operators/auth/remembered-token.ts'
import { clientAuthentication } from '../../upstream/credentials/client-authentication.ts'
import { bearerToken, crossAppToken } from '../../upstream/credentials/issue-token.ts'
import { type RequestToken, tokenEndpoint } from '../../upstream/credentials/token-endpoint.ts'
import {
  assertionParameters,
  exchangeParameters,
  targetParameters,
} from '../../upstream/credentials/token-parameters.ts'
import { askService } from './ask-service.ts'
import { credentialSource } from './credential-source.ts'
import { keptTokens } from './kept-tokens.ts'
import type { Workshop } from './workshop.ts'

/** A token that the client's is traded for. */
export const exchanged = (policy: OauthTokenExchange, workshop: Workshop): UpstreamCredential => {
  const request = endpoint(policy, policy.clientAuth, true, workshop)
  const parameters = policy.grantType === 'jwtBearer' ? assertionParameters : exchangeParameters
  const { actorToken, cache } = policy
  return exchangeToken({
    kind: 'oauthTokenExchange',
    place: policy.authorizationLocation,
    subject: credentialSource(policy.subjectToken.source, workshop),
    actor: actorToken && {
      source: credentialSource(actorToken.source, workshop),
      enforceMayAct: actorToken.enforceMayAct,
    },
    more: policy.additionalParams.map(([name, value]) => [name, workshop.expression(value)] as const),
    memory: keptTokens(policy, cache.maxEntries, workshop),
    issue: async (tokens) =>
      bearerToken(await request(parameters(policy, tokens)), cache.defaultTtlMs, policy.requestedTokenType),
  })
}

/** A token that the client's is traded for in two steps. */
export const crossApp = (policy: CrossAppAccess, workshop: Workshop): UpstreamCredential => {
  const { identityProvider, resourceAuthorizationServer: server, cache } = policy
  const first = endpoint(identityProvider, identityProvider.clientAuth, true, workshop)
  const second = endpoint(server, server.clientAuth, false, workshop)
  return exchangeToken({
    kind: 'crossAppAccess',
    place: bearerPlace,
    subject: credentialSource(policy.subjectToken.source, workshop),
    actor: undefined,
    more: [],
    memory: keptTokens(policy, cache.maxEntries, workshop),
    issue: ({ subject }) => crossAppToken(policy, subject, first, second),
  })
}

/** A token of the gateway's own. */
export const owned = (policy: ClientCredentials, workshop: Workshop): UpstreamCredential => {
  const { clientAuth, requestFormat, additionalParams, location } = policy
  const request = endpoint(policy, clientAuth, false, workshop, requestFormat)
  const parameters = [
    ['grant_type', 'client_credentials'] as const,
    ...targetParameters(policy),
    ...additionalParams,
  ]
  const want = {
    key: '',
    issue: async () => bearerToken(await request(parameters), policy.defaultTtlMs),
  }
  return rememberedToken({
    kind: 'clientCredentials',
    place: location,
    memory: keptTokens(policy, 1, workshop),
    wanted: () => want,
  })
}

const endpoint = (
  target: TokenEndpoint,
  clientAuth: ClientAuth | undefined,
  isForClient: boolean,
  workshop: Workshop,
  format: 'form' | 'json' = 'form',
): RequestToken =>
  tokenEndpoint({
    ask: askService(target, 'Http', workshop),
    path: target.path,
    timeoutMs: target.policies.http?.requestTimeoutMs ?? TIMEOUT_MS,
    format,
    proof: clientAuth && clientAuthentication(clientAuth),
    isForClient,
  })

const TIMEOUT_MS = 10_000
