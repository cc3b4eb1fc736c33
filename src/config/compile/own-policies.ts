import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { BackendTarget } from '../../model/resources/resources.ts'

/** The policies of a backend itself. They apply wherever it is used. */
export const ownPolicies = (
  target: BackendTarget | SimpleBackend | { readonly kind: 'upstream' },
  resources: ResourceLookup,
): BackendPolicies => {
  if (target.kind === 'service') return resources.service(target.name)?.policies ?? {}
  if (target.kind !== 'backend') return {}
  return resources.backend(target.key)?.policies ?? {}
}
