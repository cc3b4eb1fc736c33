import { emptyBody } from '../../../model/body.ts'
import type { Exchange } from '../../../model/exchange.ts'
import { Fault } from '../../../model/fault.ts'
import { deny, Reply } from '../../../model/reply.ts'
import { onRequest, type Operator } from '../../../pipeline/stage.ts'
import { AUTHORIZATION_SERVER, PROTECTED_RESOURCE } from '../../../protocols/oauth/identity-provider.ts'
import { applied } from '../../policy-note.ts'
import { openError, openHeaders, openJson } from './answer.ts'
import { endpoints, registersHere, serverDocument } from './authorization-server.ts'
import { type ProtectedResource, resourceDocument } from './protected-resource.ts'
import { register } from './registration.ts'
import { authorize, token } from './token-shim.ts'

/** Finds the resource at a path, as it came here; the empty one stands for the whole host. */
export type FindResource = (x: Exchange, path: string) => ProtectedResource | undefined

/**
 * Answers what clients ask before they have a token: the metadata of protected resources and of their authorization
 * servers, and what the gateway does in place of the latter.
 *
 * Belongs before everything that checks credentials, in the pipeline of the listener: the addresses are those of the
 * host, and no route matches them. Answers scripts of every site. Requests for resources that nobody knows pass.
 */
export const discover = (find: FindResource): Operator =>
  onRequest('mcp-discovery', (x) => {
    const { path } = x.request
    if (!path.startsWith('/.well-known/oauth-')) return undefined
    const asked = askedFor(path, find, x)
    if (!asked) return undefined
    x.probe?.note(applied('mcp_authentication', `answered for ${asked.path || '/'}`))
    if (x.request.method === 'OPTIONS') return preflight()
    if (!asked.methods.includes(x.request.method)) return wrongMethod(asked.methods)
    try {
      const answer = asked.answer()
      return answer instanceof Promise ? answer.catch(unavailable) : answer
    } catch (fault) {
      return unavailable(fault)
    }
  })

interface Asked {
  readonly path: string
  readonly methods: readonly string[]
  readonly answer: () => Reply | Promise<Reply>
}

const READ: readonly string[] = ['GET', 'HEAD']
const WRITE: readonly string[] = ['POST']

const askedFor = (whole: string, find: FindResource, x: Exchange): Asked | undefined => {
  const own = pathBehind(whole, PROTECTED_RESOURCE)
  if (own !== undefined) {
    const resource = find(x, own)
    return (
      resource && {
        path: own,
        methods: READ,
        answer: () => openJson(200, resourceDocument(resource, x, own)),
      }
    )
  }
  const path = pathBehind(whole, AUTHORIZATION_SERVER)
  if (path === undefined) return undefined
  return endpointIn(path, find, x) ?? metadataOf(path, find, x)
}

const metadataOf = (path: string, find: FindResource, x: Exchange): Asked | undefined => {
  const resource = find(x, path)
  if (!resource) return undefined
  const answer = async () => openJson(200, serverDocument(resource, await resource.issuerMetadata(), x, path))
  return { path, methods: READ, answer }
}

/** What the gateway does for an authorization server, at the end of the address of its metadata. */
const endpointIn = (whole: string, find: FindResource, x: Exchange): Asked | undefined => {
  for (const [suffix, methods, serves, answer] of served) {
    if (!whole.endsWith(suffix)) continue
    const path = whole.slice(0, -suffix.length)
    const resource = find(x, path)
    if (resource && serves(resource)) return { path, methods, answer: () => answer(resource, x) }
  }
  return undefined
}

type Serves = (resource: ProtectedResource) => boolean
type Answers = (resource: ProtectedResource, x: Exchange) => Promise<Reply>

const isEntra: Serves = ({ provider }) => provider === 'entra'

const served: readonly (readonly [suffix: string, methods: readonly string[], Serves, Answers])[] = [
  [endpoints.registration, WRITE, registersHere, register],
  [endpoints.authorize, READ, isEntra, authorize],
  [endpoints.token, WRITE, isEntra, token],
]

/** `/a/b` of `/.well-known/x/a/b`; empty for the well-known address itself. */
const pathBehind = (path: string, place: string): string | undefined => {
  if (path !== place && !path.startsWith(`${place}/`)) return undefined
  const rest = path.slice(place.length)
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

/** An error is an answer that scripts may read, too. */
const unavailable = (fault: unknown): Reply => {
  if (!(fault instanceof Fault)) throw fault
  return openError(fault.status, fault.code, 'temporarily_unavailable', fault.message)
}
