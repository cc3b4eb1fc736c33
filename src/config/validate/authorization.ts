import { child } from '../instance-path.ts'
import { policyContainers } from './policy-containers.ts'
import type { Examine } from './view.ts'

/** An authorization without rules refuses nobody: whoever wrote it probably wanted the opposite. */
export const examineAuthorization: Examine = (view) => {
  const places = [
    ...policyContainers(view),
    { policies: { authorization: view.file.frontendPolicies?.networkAuthorization }, pointer: '' },
  ]
  for (const { policies, pointer } of places) {
    if (policies.authorization?.rules.length !== 0) continue
    const at = pointer === '' ? '/frontendPolicies/networkAuthorization' : child(pointer, 'authorization')
    view.warning(child(at, 'rules'), 'authorization_without_rules', 'without rules, nobody is refused')
  }
}
