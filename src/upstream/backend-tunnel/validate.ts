import { child } from '../../config/document/json-pointer.ts'
import { backendName, serviceKey } from '../../config/normalize/references.ts'
import type * as File from '../../config/schema/file-types.gen.ts'
import { checkCalloutBackend } from '../../config/validate/callout-backend.ts'
import type { Check, ValidationContext } from '../../config/validate/context.ts'
import {
  checkUnreachableSockets,
  isUnixSocket,
  NO_SOCKETS,
} from '../../config/validate/unreachable-sockets.ts'
import { isJsonObject } from '../../protocols/json/json-object.ts'
import { checkBackendAuthPolicy } from '../../operators/backend-auth/validate/backend-auth.ts'
import { checkUpstreamTls } from '../../streams/http/tls/validate/tls.ts'

/** The policies that are attached by target to a named backend or a service, in the order of the file. */
export function attachedPolicies(
  view: ValidationContext,
  { backend, service }: File.BackendReference,
): File.RoutePolicies[] {
  return (view.file.policies ?? []).flatMap(({ target, policy }) => {
    const { backend: named, service: other } = target.backend ?? {}
    const fits =
      (backend !== undefined && named?.name === backendName(backend)) ||
      (service !== undefined &&
        other !== undefined &&
        `${other.namespace}/${other.hostname}`.toLowerCase() === serviceKey(service).toLowerCase())
    return fits ? [policy] : []
  })
}

/** Checks proxies in front of backends: they exist, are reachable, and can reach their upstreams. */
export const checkTunnels: Check = (view) => {
  search(view, view.file, '')
  checkUnreachableSockets(view)
}

/** Tunnels may be wherever a service is called: these locations have only the field name in common. */
function search(view: ValidationContext, value: unknown, pointer: string): void {
  if (Array.isArray(value)) {
    for (const item of view.items<unknown>(value, pointer)) search(view, item.value, item.pointer)
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, field] of Object.entries(value)) {
    const at = child(pointer, name)
    if (name === 'backendTunnel' && isTunnel(field)) examineTunnel(view, field, at)
    if (name === 'policies' && hasTunnel(field) && isUnixSocket(view, value))
      view.problem(child(at, 'backendTunnel'), NO_SOCKETS)
    search(view, field, at)
  }
}

function examineTunnel(
  view: ValidationContext,
  { proxy, policies = {} }: File.BackendTunnel,
  pointer: string,
): void {
  if (!proxy) return
  const at = child(pointer, 'proxy')
  const named = checkCalloutBackend(view, proxy, at, HEEDED, 'where it is a proxy')
  const where = child(at, proxy.service === undefined ? 'backend' : 'service')
  const ofProxy = [
    ...attachedPolicies(view, proxy),
    ...(named?.policies === undefined ? [] : [named.policies]),
  ]
  if (ofProxy.some(({ backendTunnel }) => backendTunnel !== undefined))
    view.wrongValue(where, 'must be reached directly: it has a backendTunnel of its own')
  const ofProxyAuth = ofProxy.findLast(({ backendAuth }) => backendAuth !== undefined)?.backendAuth
  if (policies.backendAuth === undefined && ofProxyAuth !== undefined && !isKeyAlone(ofProxyAuth))
    view.wrongValue(
      where,
      'must have no backendAuth but a key in `authorization`: to a proxy nothing else can be said',
    )
  const own = child(pointer, 'policies')
  if (policies.backendTLS !== undefined) checkUpstreamTls(view, policies.backendTLS, child(own, 'backendTLS'))
  if (policies.backendAuth === undefined) return
  const auth = child(own, 'backendAuth')
  checkBackendAuthPolicy(view, policies.backendAuth, auth)
  const { key } = policies.backendAuth
  if (!isForProxies(key))
    view.problem(
      child(child(auth, 'key'), 'location'),
      'must be the header `proxy-authorization`, with or without a prefix: proxies look nowhere else',
    )
}

/** Policies of a named backend that apply to connections to it as a proxy, too. */
const HEEDED = new Set(['backendTLS', 'backendAuth', 'backendTunnel', 'tcp'])

function isKeyAlone(auth: File.BackendAuth): boolean {
  if (typeof auth === 'string') return false
  const { key, credentials, ...others } = auth
  // One that is marked as invalid lets nothing through.
  if (auth.invalid !== undefined) return true
  return key !== undefined && isForProxies(key) && !credentials?.length && Object.keys(others).length === 0
}

const isForProxies = (key: File.BackendKey): boolean => {
  const location = typeof key === 'string' ? undefined : key.location
  if (location === undefined) return true
  return /^(?:proxy-)?authorization$/i.test(location.header?.name ?? '')
}

/** Fields of bodies may have any name and shape. */
const isTunnel = (value: unknown): value is File.BackendTunnel =>
  isJsonObject(value) &&
  isJsonObject(value.proxy) &&
  (value.policies === undefined || isJsonObject(value.policies))

const hasTunnel = (policies: unknown): boolean => isJsonObject(policies) && isTunnel(policies.backendTunnel)
