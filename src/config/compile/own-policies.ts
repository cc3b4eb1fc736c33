import type { BackendPolicies, SimpleBackend } from '../../model/resources/policies.ts'
import type { BackendTarget, Resources } from '../../model/resources/resources.ts'
import { serviceNamed } from '../../upstream/load-balancing/service-endpoints.ts'

/** The policies of a backend itself. They apply wherever it is used. */
export const ownPolicies = (
  target: BackendTarget | SimpleBackend | { readonly kind: 'upstream' },
  resources: Resources,
): BackendPolicies => {
  if (target.kind === 'service') {
    const service = serviceNamed(target.name, resources)
    return service?.portPolicies?.[target.port] ?? service?.policies ?? {}
  }
  if (target.kind !== 'backend') return {}
  return resources.backends.find(({ key }) => key === target.key)?.policies ?? {}
}
