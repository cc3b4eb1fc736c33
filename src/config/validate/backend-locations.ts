import type * as File from '../schema/file-types.gen.ts'
import { child } from '../document/json-pointer.ts'
import { httpRoutes } from './route-locations.ts'
import type { ValidationContext } from './context.ts'

/** A location with policies of a backend. */
export interface BackendLocation {
  readonly policies: File.BackendPolicies
  readonly pointer: string
}

/** Every such location: named backends and those of routes. */
export function backendLocations(view: ValidationContext): readonly BackendLocation[] {
  const backends = [
    ...view.items(view.file.backends, '/backends'),
    ...httpRoutes(view).flatMap((route) =>
      view.items(route.value.backends, child(route.pointer, 'backends')),
    ),
  ]
  return backends.map(({ value, pointer }) => ({
    policies: value.policies ?? {},
    pointer: child(pointer, 'policies'),
  }))
}
