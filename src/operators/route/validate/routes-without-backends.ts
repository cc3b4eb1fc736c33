import { child } from '../../../config/document/json-pointer.ts'
import { defaults } from '../../../config/defaults.ts'
import { httpRoutes, tcpRoutes, udpRoutes } from '../../../config/validate/route-locations.ts'
import type { Check } from '../../../config/validate/context.ts'

/** Checks for routes without a destination. Legal, since traffic may be drained so, but rarely intended. */
export const checkDestinations: Check = (view) => {
  // A policy by target may reply in place of a backend.
  const hasReply = (view.file.policies ?? []).some(
    ({ policy }) => policy.directResponse !== undefined || policy.requestRedirect !== undefined,
  )
  const outcomes = [
    ...[...httpRoutes(view), ...tcpRoutes(view)].map((route) => ({ route, outcome: 'it answers 500' })),
    ...udpRoutes(view).map((route) => ({ route, outcome: 'datagrams are dropped' })),
  ]
  for (const { route, outcome } of outcomes) {
    const { value, pointer } = route
    const policies: object = ('policies' in value ? value.policies : undefined) ?? {}
    if (hasReply || 'directResponse' in policies || 'requestRedirect' in policies) continue
    const backends: readonly { weight?: number }[] = value.backends ?? []
    const path = view.document.display(pointer)
    if (backends.length === 0) {
      view.warning(
        pointer,
        'no_backends',
        `${path} has neither backends nor an answer of its own: ${outcome}`,
      )
    } else if (backends.every(({ weight }) => (weight ?? defaults.weight) === 0)) {
      view.warning(
        child(pointer, 'backends'),
        'no_weight',
        `all backends of ${path} have weight 0: ${outcome}`,
      )
    }
  }
}
