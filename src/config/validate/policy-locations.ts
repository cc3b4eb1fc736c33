import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { allListeners, httpRoutes } from './route-locations.ts'
import type { ValidationContext } from './context.ts'

/** A location with policies of routes or listeners. */
export interface PolicyContainer {
  readonly policies: File.RoutePolicies
  readonly pointer: string
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
