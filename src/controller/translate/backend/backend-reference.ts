import type * as File from '../../../config/schema/file-types.gen.ts'
import type { ObjectReference } from '../../kinds/gateway-api.ts'
import type { GraphReads } from '../../graph/query.ts'
import { isReferenceGranted, type ReferenceOrigin } from '../grants/reference-grants.ts'
import type { ReferenceProblem, RuleContext } from '../rule/rule-context.ts'
import { knownService } from '../service/known-service.ts'
import { serviceResourceKey } from '../service/service-names.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'

/** A reference to a port of a Service. */
export type ServicePortReference = ObjectReference & { readonly port?: number }

/**
 * The port of a Service that a reference leads to. If it leads nowhere, the reason is recorded. Permission comes before
 * existence: without a grant, the status must not reveal what is in another namespace.
 */
export const serviceReference = (
  reference: ServicePortReference,
  context: RuleContext,
): File.ServiceReference | undefined => {
  const { reads, services, referenceProblems } = context
  const namespace = reference.namespace ?? context.namespace
  const key = `${namespace}/${reference.name}`
  const origin = { group: 'gateway.networking.k8s.io', kind: context.kind, namespace: context.namespace }
  const problem = serviceProblem(
    reads,
    reference,
    reads.settings.backendGrants === 'none' ? undefined : origin,
    {
      key,
      namespace,
    },
  )
  if (problem) {
    referenceProblems.push(problem)
    return undefined
  }
  services.add(key)
  return { name: serviceResourceKey(key, reads.settings), port: reference.port ?? 0 }
}

/**
 * Why a reference to a Service leads nowhere.
 *
 * @param origin What needs a grant for other namespaces; undefined if none is needed.
 */
export const serviceProblem = (
  reads: GraphReads,
  { group = '', kind = 'Service', name, port }: ServicePortReference,
  origin: ReferenceOrigin | undefined,
  { key, namespace }: { readonly key: string; readonly namespace: string },
): ReferenceProblem | undefined => {
  if (group !== '' || kind !== 'Service')
    return { reason: 'InvalidKind', message: unsupportedKind(group, kind) }
  const isGranted =
    origin === undefined || isReferenceGranted(reads, origin, { group, kind, namespace, name })
  if (!isGranted)
    return { reason: 'RefNotPermitted', message: `No ReferenceGrant allows the reference to Service ${key}` }
  if (port === undefined)
    return { reason: 'UnsupportedValue', message: `The reference to Service ${key} has no port` }
  if (reads.hasFailed(knownService, key))
    return { reason: 'UnsupportedValue', message: `Service ${key} cannot be translated` }
  const service = reads.query(knownService, key)
  if (!service) return { reason: 'BackendNotFound', message: `Service ${key} was not found` }
  // Its name may lead to anywhere, the cluster's own control plane included (CVE-2021-25740).
  if (service.isExternalName)
    return { reason: 'UnsupportedValue', message: `Service ${key} is of type ExternalName` }
  const protocols = service.ports.filter((one) => one.port === port).map((one) => one.protocol ?? 'TCP')
  if (protocols.length === 0)
    return { reason: 'BackendNotFound', message: `Service ${key} has no port ${port}` }
  if (!protocols.includes('TCP'))
    return {
      reason: 'UnsupportedProtocol',
      message: `Port ${port} of Service ${key} has protocol ${protocols.join(', ')}`,
    }
  return undefined
}
