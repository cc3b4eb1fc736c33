import type * as File from '../../../config/schema/file-types.gen.ts'
import type { GraphReads } from '../../graph/query.ts'
import { validatedTlsPolicy } from '../backend-tls/policy-validation.ts'
import { serviceTlsPolicies } from '../backend-tls/service-tls-policies.ts'
import { connectionPolicy, type ConnectionTarget, shown } from './connection-policy.ts'

/**
 * The TLS that the control plane speaks to a target: that of the ProxyBackend, of a ProxyPolicy, or for Services of a
 * BackendTLSPolicy, in this order. Undefined without any.
 */
export const fetchTls = (
  reads: GraphReads,
  target: ConnectionTarget,
): File.UpstreamTls | { readonly problem: string } | undefined => {
  const found = connectionPolicy(reads, target, 'tls')
  if (found?.problem !== undefined) return { problem: found.problem }
  return found?.policy.backendTLS ?? (isService(target) ? serviceTls(reads, target) : undefined)
}

const isService = ({ id }: ConnectionTarget): boolean => id.startsWith(SERVICE)

const serviceTls = (
  reads: GraphReads,
  { id, port }: ConnectionTarget,
): File.UpstreamTls | { readonly problem: string } | undefined => {
  const effective = reads
    .query(serviceTlsPolicies, id.slice(SERVICE.length))
    .filter((policy) => policy.state === 'effective' && (policy.port === undefined || policy.port === port))
  const [policy] = effective.toSorted((a, b) => Number(b.port !== undefined) - Number(a.port !== undefined))
  const tls = policy && reads.query(validatedTlsPolicy, policy.policy)?.tls
  return tls?.invalid === undefined ? tls : { problem: `TLS to ${shown(id)}: ${tls.invalid}` }
}

const SERVICE = 'Service/'
