import { defineQuery, type GraphReads, type Query } from '../../graph/query.ts'
import { serviceTlsPolicies } from '../backend-tls/service-tls-policies.ts'
import { policiesByTarget, policyTargets } from '../policy/policy-targets.ts'
import { translatedPolicy } from '../policy/translated-policy.ts'

/**
 * Whether a BackendTLSPolicy or a ProxyPolicy says how connections to a port of a Service are secured. One that cannot
 * be used has them fail, and counts as well. Key: `namespace/name:port`.
 */
export const hasOwnTls: Query<boolean> = defineQuery('hasOwnTls', (reads, key) => {
  const [service = '', port = ''] = key.split(':')
  return (
    reads
      .query(serviceTlsPolicies, service)
      .some((one) => one.state === 'effective' && (one.port === undefined || String(one.port) === port)) ||
    (reads.query(policiesByTarget, '').get(`Service/${service}`) ?? []).some(
      (policy) => hasTls(reads, policy) && concerns(reads, policy, service, port),
    )
  )
})

/** Other policies of connections as well, while they cannot be used: invalid TLS stands in for them. */
const hasTls = (reads: GraphReads, policy: string): boolean =>
  (reads.query(translatedPolicy, policy)?.forms ?? []).some((form) => form.policy.backendTLS !== undefined)

const concerns = (reads: GraphReads, policy: string, service: string, port: string): boolean => {
  const [, name] = service.split('/')
  return reads
    .query(policyTargets, policy)
    .references.some(
      (one) =>
        one.kind === 'Service' &&
        one.name === name &&
        (one.sectionName === undefined || one.sectionName === port),
    )
}
