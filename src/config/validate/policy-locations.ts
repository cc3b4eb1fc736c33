import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { allListeners, httpRoutes } from './route-locations.ts'
import type { ValidationContext } from './context.ts'

/** A location with policies of routes or listeners. */
export interface PolicyContainer {
  readonly policies: File.RoutePolicies
  readonly pointer: string
}

/** A location with frontend policies. */
export interface FrontendLocation {
  readonly frontend: File.FrontendPolicies | File.AttachedFrontend
  readonly pointer: string
}

/** Every such location: the process, and what is attached to gateways. */
export function frontendLocations(view: ValidationContext): readonly FrontendLocation[] {
  const { frontendPolicies, policies } = view.file
  const attached = view.items(policies, '/policies').flatMap(({ value, pointer }) => {
    const { frontend } = value.policy
    return frontend ? [{ frontend, pointer: child(child(pointer, 'policy'), 'frontend') }] : []
  })
  return frontendPolicies
    ? [{ frontend: frontendPolicies, pointer: '/frontendPolicies' }, ...attached]
    : attached
}

/** Every such location: routes, listeners, and policies that are attached by target. */
export function policyContainers(view: ValidationContext): readonly PolicyContainer[] {
  return [
    ...httpRoutes(view).map(({ value, pointer }) => ({
      policies: value.policies ?? {},
      pointer: child(pointer, 'policies'),
    })),
    ...allListeners(view).map(({ policies, policiesPointer: pointer }) => ({ policies, pointer })),
    ...view
      .items(view.file.policies, '/policies')
      .map(({ value, pointer }) => ({ policies: value.policy, pointer: child(pointer, 'policy') })),
  ]
}
