import { defineQuery, type Query } from '../../graph/query.ts'
import { attachmentsByTarget } from '../policy/policy-attachments.ts'
import { policiesByTarget } from '../policy/policy-targets.ts'
import { translatedPolicy } from '../policy/translated-policy.ts'

/** Where ProxyPolicies say what TLS a Service or an InferencePool has: a BackendTLSPolicy of the same target has no effect. */
export interface TlsOverride {
  /** The key of the ProxyPolicy. */
  readonly policy: string
  /** The number of the port; undefined for the whole target. */
  readonly port: number | undefined
}

/** The ProxyPolicies with TLS at a target. Key: `kind/namespace/name`. */
export const overridingPolicies: Query<readonly TlsOverride[]> = defineQuery(
  'overridingPolicies',
  (reads, target) =>
    (reads.query(policiesByTarget, '').get(target) ?? []).flatMap((policy) => {
      if (!reads.tryQuery(hasBackendTls, policy)) return []
      const attachments = reads.tryQuery(attachmentsByTarget, policy)?.get(target) ?? []
      return attachments.map((attachment) => ({ policy, port: attachment.target.backend?.service?.port }))
    }),
)

const hasBackendTls: Query<boolean> = defineQuery('hasBackendTls', (reads, key) =>
  (reads.query(translatedPolicy, key)?.forms ?? []).some(
    ({ section, policy }) => section === 'backend' && 'backendTLS' in policy,
  ),
)
