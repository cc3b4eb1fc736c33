import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { allListeners, httpRoutes } from './route-locations.ts'
import type { ValidationContext } from './context.ts'

/** Policies of a route or listener, and their pointer. */
export interface PolicyContainer {
  readonly policies: File.RoutePolicies
  readonly pointer: string
}

/** The policies of all routes and listeners, and those that are attached by target. */
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
