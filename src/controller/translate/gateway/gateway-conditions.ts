import type { GraphReads } from '../../graph/query.ts'
import type { Gateway } from '../../kinds/gateway-api.ts'
import { objectKey } from '../../kinds/object.ts'
import { gatewayClientCertificate } from '../certificates/gateway-client-certificate.ts'
import { allowsInsecureFallback } from '../listener/frontend-validation.ts'
import { gatewayListeners } from '../listener/gateway-listeners.ts'
import { gatewayMesh } from '../parameters/mesh.ts'
import type { StatusCondition } from '../status/status-condition.ts'
import { missingAddresses, type StatusAddress } from './gateway-addresses.ts'

/** The conditions of a Gateway, sorted by type. */
export const gatewayConditions = (
  reads: GraphReads,
  gateway: Gateway,
  acceptance: StatusCondition,
  addresses: readonly StatusAddress[],
): readonly StatusCondition[] => [
  acceptance,
  // It must be absent where it does not apply.
  ...(allowsInsecureFallback(gateway) ? [insecureFallback] : []),
  programmed(reads, gateway, acceptance, addresses),
  ...(gateway.spec.tls?.backend ? [resolvedRefs(reads, objectKey(gateway))] : []),
  ...(gatewayMesh(reads, gateway) ? [meshNotSupported] : []),
]

/** What is set for a mesh is given to proxies; they do nothing with it so far. */
const meshNotSupported: StatusCondition = {
  type: 'agentgateway.dev/MeshIdentity',
  status: 'False',
  reason: 'NotSupported',
  message:
    'Proxies get what istio sets, but have no identity in the mesh: they neither accept nor make mTLS connections of the mesh',
}

const insecureFallback: StatusCondition = {
  type: 'InsecureFrontendValidationMode',
  status: 'True',
  reason: 'ConfigurationChanged',
  message: 'Insecure fallback mode enabled',
}

const notProgrammed = (reason: string, message: string): StatusCondition => ({
  type: 'Programmed',
  status: 'False',
  reason,
  message,
})

/** Listeners that refuse handshakes are programmed to do so; their own conditions have the reason. */
const programmed = (
  reads: GraphReads,
  gateway: Gateway,
  acceptance: StatusCondition,
  addresses: readonly StatusAddress[],
): StatusCondition => {
  if (acceptance.status !== 'True') return notProgrammed('Invalid', 'The Gateway is not accepted')
  const failure = reads.object('GatewayDeployment', objectKey(gateway))?.failure
  if (failure?.reason === 'DeploymentFailed') return notProgrammed(failure.reason, failure.message)
  const missing = missingAddresses(gateway, addresses)
  if (missing.length > 0)
    return notProgrammed(
      'AddressNotUsable',
      `Requested addresses that the Service of the proxies does not have: ${missing.map(({ value }) => value).join(', ')}`,
    )
  if (addresses.length === 0)
    return notProgrammed('AddressNotAssigned', 'The Service of the proxies has no address yet')
  return {
    type: 'Programmed',
    status: 'True',
    reason: 'Programmed',
    message: 'Successfully programmed Gateway',
  }
}

const resolvedRefs = (reads: GraphReads, key: string): StatusCondition => {
  const notResolved = (reason: string, message: string): StatusCondition => ({
    type: 'ResolvedRefs',
    status: 'False',
    reason,
    message,
  })
  const certificate = reads.query(gatewayClientCertificate, key)
  if (certificate && 'problem' in certificate)
    return notResolved(
      certificate.problem === 'notPermitted' ? 'RefNotPermitted' : 'InvalidClientCertificateRef',
      certificate.message,
    )
  const unresolved = reads
    .query(gatewayListeners, key)
    .filter(
      ({ listenerSet, conditions }) =>
        listenerSet === undefined &&
        conditions.some(({ type, status }) => type === 'ResolvedRefs' && status === 'False'),
    )
  if (unresolved.length > 0)
    return notResolved('ListenersNotResolved', 'References of some listeners were not resolved')
  return {
    type: 'ResolvedRefs',
    status: 'True',
    reason: 'ResolvedRefs',
    message: 'All references were resolved',
  }
}
