import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { openError, openHeaders } from './public-json.ts'
import type { Relayed } from '../../upstream/jwks/issuer-client.ts'

/** Forwards a request to the issuer with the client's credentials, and returns its response. */
export const relay = async (
  { post }: ProtectedResource,
  x: Exchange,
  form: Omit<Relayed, 'authorization'>,
): Promise<Reply> => {
  const response = await post({ ...form, authorization: x.request.headers.get('authorization') })
  const headers = openHeaders(response.contentType ?? 'application/json')
  headers.set('cache-control', 'no-store')
  return new Reply(response.status, headers, new BufferBody(response.body), 'Upstream')
}

/** Longer token requests are refused. */
const LIMIT_BYTES = 65_536

/**
 * Redirects a browser to the sign-in page of the issuer, without the parameter `resource`, which the issuer would
 * refuse.
 */
export const authorizeClient = async (resource: ProtectedResource, x: Exchange): Promise<Reply> => {
  const { authorization_endpoint: endpoint } = await resource.issuerMetadata()
  const url = typeof endpoint === 'string' ? URL.parse(endpoint) : null
  if (!url) return noEndpoint()
  for (const [name, value] of new URLSearchParams(x.request.query))
    if (name !== 'resource') url.searchParams.append(name, value)
  const headers = openHeaders()
  headers.set('location', url.href)
  headers.set('cache-control', 'no-store')
  return new Reply(302, headers, emptyBody, 'DirectResponse')
}

/**
 * Requests a token from the issuer: without `resource`, and with the secret of the configured client, which public
 * clients cannot keep. The secret is added only to grants that a user has approved for that client.
 */
export const token = async (resource: ProtectedResource, x: Exchange): Promise<Reply> => {
  const form = new URLSearchParams((await x.request.body.read(LIMIT_BYTES)).toString())
  const { token_endpoint: url } = await resource.issuerMetadata()
  if (typeof url !== 'string') return noEndpoint()
  form.delete('resource')
  const { clientId, clientSecret } = resource
  const isGranted = grants.includes(only(form, 'grant_type') ?? '')
  if (clientSecret !== undefined && only(form, 'client_id') === clientId && isGranted)
    form.set('client_secret', clientSecret)
  return relay(resource, x, { url, body: form.toString(), contentType: 'application/x-www-form-urlencoded' })
}

const grants: readonly string[] = ['authorization_code', 'refresh_token']

/** A repeated parameter is ignored: the gateway and the issuer might use different values. */
const only = (form: URLSearchParams, name: string): string | undefined => {
  const values = form.getAll(name)
  return values.length === 1 ? values[0] : undefined
}

const noEndpoint = (): Reply =>
  openError(
    500,
    'mcp_issuer_incomplete',
    'server_error',
    'the identity provider does not say where its endpoints are',
  )
