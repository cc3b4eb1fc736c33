import type { Exchange } from '../../../model/exchange.ts'
import { Reply } from '../../../model/reply.ts'
import { emptyBody } from '../../../model/body.ts'
import { openError, openHeaders } from './answer.ts'
import type { ProtectedResource } from './protected-resource.ts'
import { relay } from './relay.ts'

/** Longer token requests are refused. */
const LIMIT_BYTES = 65_536

/** Sends a browser on to where the issuer signs users in, without the parameter `resource`, which it would refuse. */
export const authorize = async (resource: ProtectedResource, x: Exchange): Promise<Reply> => {
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
 * Asks the issuer for a token on behalf of a client: without `resource`, and with the secret of the configured client,
 * which clients that everybody can read cannot keep. It goes along only with what a user has granted to that client.
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

/** Of what comes twice, the gateway and the issuer might believe different ones. */
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
