import { child } from '../../config/document/json-pointer.ts'
import { backendLocations } from '../../config/validate/backend-locations.ts'
import { frontendLocations, policyContainers } from '../../config/validate/policy-locations.ts'
import type { Check } from '../../config/validate/context.ts'

/** An authorization without rules allows everything, which is probably not intended. */
export const checkAuthorization: Check = (view) => {
  for (const { frontend, pointer } of frontendLocations(view))
    if (frontend.networkAuthorization?.rules.length === 0)
      view.warning(
        child(child(pointer, 'networkAuthorization'), 'rules'),
        'authorization_without_rules',
        NO_EFFECT,
      )
  for (const { policies, pointer } of [...policyContainers(view), ...backendLocations(view)]) {
    const { authorization, mcpAuthorization } = policies
    const rulesOf = (name: string): string => child(child(pointer, name), 'rules')
    if (authorization?.rules.length === 0)
      view.warning(rulesOf('authorization'), 'authorization_without_rules', NO_EFFECT)
    if (mcpAuthorization?.rules.length === 0)
      view.warning(
        rulesOf('mcpAuthorization'),
        'authorization_without_rules',
        'without rules, nothing is hidden',
      )
  }
}

const NO_EFFECT = 'without rules, nobody is refused'
