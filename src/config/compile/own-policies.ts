import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { BackendTarget } from '../../model/resources/resources.ts'

/** The policies of a backend itself. They apply wherever it is used. */
export const ownPolicies = (
  target: BackendTarget | SimpleBackend | { readonly kind: 'upstream' },
  resources: ResourceLookup,
): BackendPolicies => {
  if (target.kind === 'service') {
    const service = resources.service(target.name)
    return service?.portPolicies?.[target.port] ?? service?.policies ?? {}
  }
  if (target.kind !== 'backend') return {}
  return resources.backend(target.key)?.policies ?? {}
}
