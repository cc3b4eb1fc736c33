import type * as File from '../file-types.gen.ts'
import { backendName, serviceKey } from '../normalize/references.ts'
import type { View } from './view.ts'

/** The policies that are attached by target to a named backend or a service, in the order of the file. */
export function attachedPolicies(
  view: View,
  { backend, service }: File.BackendReference,
): File.RoutePolicies[] {
  return (view.file.policies ?? []).flatMap(({ target, policy }) => {
    const { backend: named, service: other } = target.backend ?? {}
    const fits =
      (backend !== undefined && named?.name === backendName(backend)) ||
      (service !== undefined &&
        other !== undefined &&
        `${other.namespace}/${other.hostname}`.toLowerCase() === serviceKey(service).toLowerCase())
    return fits ? [policy] : []
  })
}
