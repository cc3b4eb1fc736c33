import type { BackendPolicies } from '../../model/resources/policies.ts'
import type { BackendTarget, Resources } from '../../model/resources/resources.ts'
import type { ProviderAddress } from '../../operators/llm/stage/provider-target.ts'
import { serviceNamed } from '../../upstream/load-balancing/service-endpoints.ts'

/** The policies of a backend itself. They apply wherever it is used. */
export const ownPolicies = (
  target: BackendTarget | ProviderAddress,
  resources: Resources,
): BackendPolicies => {
  if (target.kind === 'service') return serviceNamed(target.name, resources)?.policies ?? {}
  if (target.kind !== 'backend') return {}
  return resources.backends.find(({ key }) => key === target.key)?.policies ?? {}
}
