import { defaults } from '../../../config/defaults.ts'

import { type Context, milliseconds } from '../../../config/normalize/context.ts'
import {
  credentialLocation,
  normalizeCredentialLocation,
} from '../../../config/normalize/credential-location.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { policyBackend } from '../../../config/normalize/policy-backend.ts'
import { secretText } from '../../../config/normalize/secret-text.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { bearerLocation } from '../../../model/policies/credential-location.ts'
import { publicTls } from '../../../model/resources/public-tls.ts'
import { signingKey } from './signing-key.ts'
import type {
  ClientAuth,
  ClientCredentials,
  CrossAppAccess,
  OauthTokenExchange,
  TokenEndpoint,
  TokenCacheOptions,
  TokenSource,
} from '../schema/normal-form.ts'
import { pairs } from '../../headers/normalize.ts'

/** The endpoint at a URL: with `https`, its certificate must be publicly trusted. */
export function urlBackend(
  address: string,
  policies: File.SimpleBackendPolicies | undefined,
  context: Context,
): TokenEndpoint {
  const { protocol, hostname, port, pathname, search } = new URL(address)
  const isEncrypted = protocol === 'https:'
  const usual = isEncrypted ? 443 : 80
  return {
    backend: { kind: 'host', target: { host: hostname, port: port === '' ? usual : Number(port) } },
    policies: { ...(isEncrypted && { backendTLS: publicTls }), ...context.calloutPolicies(policies) },
    path: pathname + search,
  }
}

const { tokens, tokenType } = defaults.backendAuth

/** Exchange of the client's token. */
export function oauthTokenExchange(source: File.OauthTokenExchange, context: Context): OauthTokenExchange {
  return definedFields<OauthTokenExchange>({
    ...endpoint(source, context),
    grantType: source.grantType ?? 'tokenExchange',
    subjectToken: tokenSource(source.subjectToken, tokenType.access),
    actorToken: given(source.actorToken, (actor) => ({
      ...tokenSource(actor, tokenType.access),
      enforceMayAct: actor.enforceMayAct ?? false,
    })),
    audiences: source.audiences ?? [],
    resources: source.resources ?? [],
    scopes: source.scopes ?? [],
    requestedTokenType: source.requestedTokenType,
    clientAuth: given(source.clientAuth, (auth) => clientAuth(auth, context)),
    additionalParams: pairs(source.additionalParams),
    authorizationLocation: given(source.authorizationLocation, normalizeCredentialLocation) ?? bearerLocation,
    cache: tokenCache(source.cache),
  })
}

/** Exchange of the client's token in two steps. */
export function crossAppAccess(source: File.OauthCrossAppAccess, context: Context): CrossAppAccess {
  const scopes = source.scopes ?? []
  const party = (one: File.OauthEndpoint) => ({
    ...endpoint(one, context),
    clientAuth: clientAuth(one.clientAuth, context),
  })
  return {
    identityProvider: party(source.identityProvider),
    resourceAuthorizationServer: party(source.resourceAuthorizationServer),
    audience: source.audience,
    resources: source.resources ?? [],
    scopes,
    accessTokenScopes: source.accessTokenScopes ?? scopes,
    subjectToken: tokenSource(source.subjectToken, tokenType.id),
    cache: tokenCache(source.cache),
  }
}

/** Token of the gateway itself. */
export function clientCredentials(source: File.OauthClientCredentials, context: Context): ClientCredentials {
  const requestFormat = source.requestFormat ?? 'form'
  return {
    ...(source.url === undefined
      ? endpoint(source, context)
      : urlBackend(source.url, source.policies, context)),
    clientAuth: clientAuth(
      source.clientAuth,
      context,
      requestFormat === 'json' ? 'clientSecretPost' : 'clientSecretBasic',
    ),
    audiences: source.audiences ?? [],
    resources: source.resources ?? [],
    scopes: source.scopes ?? [],
    requestFormat,
    additionalParams: pairs(source.additionalParams),
    location: given(source.location, normalizeCredentialLocation) ?? bearerLocation,
    defaultTtlMs: milliseconds(source.defaultTtl ?? tokens.defaultTtl),
  }
}

function endpoint(
  source: File.BackendReference & Pick<File.OauthTokenExchange, 'path' | 'policies'>,
  context: Context,
): TokenEndpoint {
  return { ...policyBackend(source, context), path: source.path ?? '/' }
}

function tokenSource(source: File.OauthSubjectToken = {}, usualType: string): TokenSource {
  return {
    source: given(source.source, credentialLocation) ?? bearerLocation,
    tokenType: source.tokenType ?? usualType,
  }
}

function tokenCache({ maxEntries, defaultTtl }: File.OauthTokenMemory = {}): TokenCacheOptions {
  return {
    maxEntries: maxEntries ?? tokens.maxEntries,
    defaultTtlMs: milliseconds(defaultTtl ?? tokens.defaultTtl),
  }
}

function clientAuth(
  source: File.OauthClientAuth,
  context: Context,
  usualMethod: 'clientSecretBasic' | 'clientSecretPost' = 'clientSecretBasic',
): ClientAuth {
  const { clientId, method = usualMethod, certificate, certificateHeader } = source
  const secret = given(source.clientSecret, (written) => secretText(written, context))
  if (method === 'clientSecretBasic') return { clientId, method, clientSecret: secret ?? { secret: '' } }
  if (method === 'clientSecretPost') return { clientId, method, ...(secret && { clientSecret: secret }) }
  return {
    clientId,
    method,
    ...signingKey({ ...source, signingKey: source.signingKey ?? '' }, context),
    assertionAudience: source.assertionAudience ?? '',
    ...(certificate !== undefined && {
      certificate: { chain: secretText(certificate, context), header: certificateHeader ?? 'x5c' },
    }),
  }
}
