import type { Authorization } from '../file-types.gen.ts'
import { child } from '../instance-path.ts'
import { policyContainers } from './policy-containers.ts'
import { httpRoutes } from './sites.ts'
import type { Examine, View } from './view.ts'

/** Rules of a place of the file, as far as there are any. */
interface Place {
  readonly policies: { readonly authorization?: Authorization; readonly mcpAuthorization?: Authorization }
  readonly pointer: string
}

/** An authorization without rules refuses nobody: whoever wrote it probably wanted the opposite. */
export const examineAuthorization: Examine = (view) => {
  const { networkAuthorization } = view.file.frontendPolicies ?? {}
  if (networkAuthorization?.rules.length === 0)
    view.warning('/frontendPolicies/networkAuthorization/rules', 'authorization_without_rules', NOBODY)
  for (const { policies, pointer } of [...policyContainers(view), ...backendPlaces(view)]) {
    const { authorization, mcpAuthorization } = policies
    const rulesOf = (name: string): string => child(child(pointer, name), 'rules')
    if (authorization?.rules.length === 0)
      view.warning(rulesOf('authorization'), 'authorization_without_rules', NOBODY)
    if (mcpAuthorization?.rules.length === 0)
      view.warning(
        rulesOf('mcpAuthorization'),
        'authorization_without_rules',
        'without rules, nothing is hidden',
      )
  }
}

const NOBODY = 'without rules, nobody is refused'

function backendPlaces(view: View): readonly Place[] {
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
