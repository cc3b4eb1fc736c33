import type { ObjectReference } from '../../kinds/gateway-api.ts'
import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { isReferenceGranted, type ReferenceOrigin } from '../grants/reference-grants.ts'
import type { ReferenceProblem } from '../rule/rule-context.ts'
import { endpointLimit } from '../service/endpoint-limit.ts'
import { knownService } from '../service/known-service.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'

/** A reference to a port of a Service, or to a ProxyBackend. */
export type BackendObjectReference = ObjectReference & { readonly port?: number }

/** Whether a reference is to a ProxyBackend. */
export const isProxyBackend = ({ group, kind }: BackendObjectReference): boolean =>
  group === 'agentgateway.dev' && kind === 'ProxyBackend'

/**
 * Why a reference to a ProxyBackend leads nowhere.
 *
 * @param origin What needs a grant for other namespaces; undefined if none is needed.
 */
export const proxyBackendProblem = (
  reads: GraphReads,
  { name }: BackendObjectReference,
  origin: ReferenceOrigin | undefined,
  { key, namespace }: { readonly key: string; readonly namespace: string },
): ReferenceProblem | undefined => {
  const to = { group: 'agentgateway.dev', kind: 'ProxyBackend', namespace, name }
  if (origin !== undefined && !isReferenceGranted(reads, origin, to))
    return {
      reason: 'RefNotPermitted',
      message: `No ReferenceGrant allows the reference to ProxyBackend ${key}`,
    }
  return reads.query(hasProxyBackend, key)
    ? undefined
    : { reason: 'BackendNotFound', message: `ProxyBackend ${key} was not found` }
}

const hasProxyBackend: Query<boolean> = defineQuery(
  'hasProxyBackend',
  (reads, key) => reads.object('ProxyBackend', key) !== undefined,
)

/**
 * Why a reference to a Service leads nowhere.
 *
 * @param origin What needs a grant for other namespaces; undefined if none is needed.
 * @param transport The protocol that the port needs to have.
 */
export const serviceProblem = (
  reads: GraphReads,
  { group = '', kind = 'Service', name, port }: BackendObjectReference,
  origin: ReferenceOrigin | undefined,
  { key, namespace }: { readonly key: string; readonly namespace: string },
  transport: 'TCP' | 'UDP' = 'TCP',
): ReferenceProblem | undefined => {
  if (group !== '' || kind !== 'Service')
    return { reason: 'InvalidKind', message: unsupportedKind(group, kind) }
  const isGranted =
    origin === undefined || isReferenceGranted(reads, origin, { group, kind, namespace, name })
  if (!isGranted)
    return { reason: 'RefNotPermitted', message: `No ReferenceGrant allows the reference to Service ${key}` }
  if (port === undefined)
    return { reason: 'UnsupportedValue', message: `The reference to Service ${key} has no port` }
  return reads.query(portProblem, `${key} ${String(port)} ${transport}`)
}

/** Kept apart, so that other ports of a Service change without its routes. Key: that of the Service, the port, the transport. */
const portProblem: Query<ReferenceProblem | undefined> = defineQuery('portProblem', (reads, id) => {
  const [key = '', port = '', transport = ''] = id.split(' ')
  if (reads.hasFailed(knownService, key))
    return { reason: 'UnsupportedValue', message: `Service ${key} cannot be translated` }
  const service = reads.query(knownService, key)
  if (!service) return { reason: 'BackendNotFound', message: `Service ${key} was not found` }
  // Its name may lead to anywhere, the cluster's own control plane included (CVE-2021-25740).
  if (service.isExternalName)
    return { reason: 'UnsupportedValue', message: `Service ${key} is of type ExternalName` }
  const protocols = service.ports.get(port)
  if (!protocols) return { reason: 'BackendNotFound', message: `Service ${key} has no port ${port}` }
  if (!protocols.includes(transport))
    return {
      reason: 'UnsupportedProtocol',
      message: `Port ${port} of Service ${key} has protocol ${protocols.join(', ')}`,
    }
  const tooMany = reads.query(endpointLimit, key)
  return tooMany === undefined ? undefined : { reason: 'UnsupportedValue', message: tooMany }
})
