import { createHash } from 'node:crypto'
import type { Oidc, OidcEndpoints } from './schema.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { normalPath } from '../../config/format/path.ts'
import type { Context } from '../../config/normalize/context.ts'
import { jwksSource } from '../jwt-auth/normalize.ts'
import { secretText } from '../../config/normalize/secret-text.ts'

/** `oidc`, with the URL of the provider's metadata. */
export function normalizeOidc(policy: File.Oidc, context: Context): Oidc {
  const { issuer, clientId, clientSecret, redirectURI, tokenEndpointAuth = 'clientSecretBasic' } = policy
  const redirect = new URL(redirectURI)
  const scopes = (policy.scopes ?? []).filter((scope) => scope !== 'openid')
  return {
    id: idOf([issuer, clientId, redirect.href, scopes]),
    issuer,
    clientId,
    clientSecret: secretText(clientSecret, context),
    redirectUri: redirect.href,
    callbackPath: normalPath(redirect.pathname, context.mergeSlashes),
    scopes,
    endpoints: endpoints(policy, context),
    tokenEndpointAuth,
  }
}

function endpoints(policy: File.Oidc, context: Context): OidcEndpoints {
  const { issuer, discovery, authorizationEndpoint, tokenEndpoint, jwks } = policy
  if (authorizationEndpoint !== undefined && tokenEndpoint !== undefined && jwks !== undefined)
    return { kind: 'given', authorizationEndpoint, tokenEndpoint, jwks: jwksSource(jwks, context) }
  const usual = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`
  return { kind: 'discovered', url: discovery ?? usual }
}

/** Policies with the same login share their sessions, on this gateway and on others. */
function idOf(settings: unknown): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex').slice(0, 16)
}
