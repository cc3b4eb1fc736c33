import { child } from '../instance-path.ts'
import { backendPlaces } from './backend-places.ts'
import { policyContainers } from './policy-containers.ts'
import type { Examine } from './view.ts'

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
