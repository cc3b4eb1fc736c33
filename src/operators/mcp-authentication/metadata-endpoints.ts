import { emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Fault } from '../../model/exchange/fault.ts'
import { deny, Reply } from '../../model/exchange/reply.ts'
import { onRequest, type Operator } from '../../pipeline/stage.ts'
import { AUTHORIZATION_SERVER, PROTECTED_RESOURCE } from '../../protocols/oauth/provider-quirks.ts'
import { applied } from '../trace-policy.ts'
import { openError, openHeaders, openJson } from './public-json.ts'
import { endpoints, registersHere, serverDocument } from './authorization-server.ts'
import { type ProtectedResource, resourceDocument } from './protected-resource.ts'
import { register } from './client-registration.ts'
import { authorizeClient, token } from './issuer-proxy.ts'

/** Finds the resource at a path, as received; the empty path stands for the whole host. */
export type FindResource = (x: Exchange, path: string) => ProtectedResource | undefined

/**
 * Serves what clients need before they have a token: the metadata of protected resources and of their authorization
 * servers, and the endpoints that the gateway offers in place of the latter.
 *
 * Must be above all checks of credentials, in the pipeline of the listener: the addresses are those of the host, and no
 * route matches them. Replies are readable for scripts of every origin. Requests for unknown resources pass.
 */
export const metadataEndpoints = (find: FindResource): Operator =>
  onRequest('mcp-discovery', (x) => {
    const { path } = x.request
    if (!path.startsWith('/.well-known/oauth-')) return undefined
    const endpoint = findEndpoint(path, find, x)
    if (!endpoint) return undefined
    x.probe?.record(applied('mcp_authentication', `answered for ${endpoint.path || '/'}`))
    if (x.request.method === 'OPTIONS') return preflight()
    if (!endpoint.methods.includes(x.request.method)) return wrongMethod(endpoint.methods)
    try {
      const respond = endpoint.respond()
      return respond instanceof Promise ? respond.catch(unavailable) : respond
    } catch (fault) {
      return unavailable(fault)
    }
  })

interface MetadataEndpoint {
  readonly path: string
  readonly methods: readonly string[]
  readonly respond: () => Reply | Promise<Reply>
}

const READ: readonly string[] = ['GET', 'HEAD']
const WRITE: readonly string[] = ['POST']

const findEndpoint = (whole: string, find: FindResource, x: Exchange): MetadataEndpoint | undefined => {
  const own = pathBehind(whole, PROTECTED_RESOURCE)
  if (own !== undefined) {
    const resource = find(x, own)
    return (
      resource && {
        path: own,
        methods: READ,
        respond: () => openJson(200, resourceDocument(resource, x, own)),
      }
    )
  }
  const path = pathBehind(whole, AUTHORIZATION_SERVER)
  if (path === undefined) return undefined
  return endpointIn(path, find, x) ?? metadataOf(path, find, x)
}

const metadataOf = (path: string, find: FindResource, x: Exchange): MetadataEndpoint | undefined => {
  const resource = find(x, path)
  if (!resource) return undefined
  const respond = async () =>
    openJson(200, serverDocument(resource, await resource.issuerMetadata(), x, path))
  return { path, methods: READ, respond }
}

/** Endpoints that the gateway offers for an authorization server, below the address of its metadata. */
const endpointIn = (whole: string, find: FindResource, x: Exchange): MetadataEndpoint | undefined => {
  for (const [suffix, methods, serves, respond] of emulatedEndpoints) {
    if (!whole.endsWith(suffix)) continue
    const path = whole.slice(0, -suffix.length)
    const resource = find(x, path)
    if (resource && serves(resource)) return { path, methods, respond: () => respond(resource, x) }
  }
  return undefined
}

type Serves = (resource: ProtectedResource) => boolean
type Respond = (resource: ProtectedResource, x: Exchange) => Promise<Reply>

const isEntra: Serves = ({ provider }) => provider === 'entra'

const emulatedEndpoints: readonly (readonly [suffix: string, methods: readonly string[], Serves, Respond])[] =
  [
    [endpoints.registration, WRITE, registersHere, register],
    [endpoints.authorize, READ, isEntra, authorizeClient],
    [endpoints.token, WRITE, isEntra, token],
  ]

/** `/a/b` of `/.well-known/x/a/b`; empty for the well-known address itself. */
const pathBehind = (path: string, prefix: string): string | undefined => {
  if (path !== prefix && !path.startsWith(`${prefix}/`)) return undefined
  const rest = path.slice(prefix.length)
  return rest === '/' ? '' : rest
}

const preflight = (): Reply => {
  const headers = openHeaders()
  headers.set('access-control-max-age', '86400')
  return new Reply(204, headers, emptyBody, 'DirectResponse')
}

const wrongMethod = (methods: readonly string[]): Reply =>
  deny(405, 'method_not_allowed', {
    message: 'method not allowed',
    reason: 'InvalidRequest',
    headers: { allow: [...methods, 'OPTIONS'].join(', '), 'access-control-allow-origin': '*' },
  })

/** Scripts of every origin may read errors, too. */
const unavailable = (fault: unknown): Reply => {
  if (!(fault instanceof Fault)) throw fault
  return openError(fault.status, fault.code, 'temporarily_unavailable', fault.message)
}
