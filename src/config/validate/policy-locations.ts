import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { allListeners, httpRoutes } from './sites.ts'
import type { View } from './view.ts'

/** A place of the file that holds policies of routes or listeners. */
export interface PolicyContainer {
  readonly policies: File.RoutePolicies
  readonly pointer: string
}

/** Every such place: routes, listeners, and policies that are attached by target. */
export function policyContainers(view: View): readonly PolicyContainer[] {
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
