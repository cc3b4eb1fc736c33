import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Reply } from '../../model/exchange/reply.ts'
import { readJsonObject } from '../../protocols/json/read-json.ts'
import { openError, openJson } from './public-json.ts'
import { relay } from './issuer-proxy.ts'
import type { ProtectedResource } from './protected-resource.ts'

/** Longer registrations are refused. */
const LIMIT_BYTES = 65_536

/**
 * Registers a client (RFC 7591): at the provider, or as the one configured client where the provider has no
 * registration.
 */
export const register = async (resource: ProtectedResource, x: Exchange): Promise<Reply> => {
  const body = await x.request.body.read(LIMIT_BYTES)
  if (resource.clientId !== undefined) return asConfigured(resource.clientId, body)
  const { provider } = resource
  if (provider === 'authentik' || provider === 'entra')
    return openError(500, 'mcp_registration_failed', 'server_error', `${provider} registers no clients`)
  const url = resource.registration ?? (await resource.issuerMetadata()).registration_endpoint
  if (typeof url !== 'string')
    return openError(
      500,
      'mcp_registration_failed',
      'server_error',
      'the identity provider registers no clients',
    )
  return relay(resource, x, { url, body, contentType: 'application/json' })
}

const asConfigured = (clientId: string, body: Buffer): Reply => {
  const requested = readJsonObject(body.toString())
  if (!requested)
    return openError(
      400,
      'mcp_registration_malformed',
      'invalid_client_metadata',
      'a registration is a JSON object',
    )
  return openJson(201, {
    client_id: clientId,
    client_id_issued_at: Math.floor(Date.now() / 1000),
    token_endpoint_auth_method: 'none',
    grant_types: textsOr(requested.grant_types, ['authorization_code', 'refresh_token']),
    response_types: textsOr(requested.response_types, ['code']),
    redirect_uris: textsOr(requested.redirect_uris, []),
  })
}

const textsOr = (value: unknown, fallback: readonly string[]): readonly unknown[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string') ? value : fallback
