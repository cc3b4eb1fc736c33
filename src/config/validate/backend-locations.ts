import type * as File from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { httpRoutes } from './sites.ts'
import type { View } from './view.ts'

/** A place of the file that holds policies of a backend. */
export interface BackendPlace {
  readonly policies: File.BackendPolicies
  readonly pointer: string
}

/** Every such place: named backends, and those of routes. */
export function backendPlaces(view: View): readonly BackendPlace[] {
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
