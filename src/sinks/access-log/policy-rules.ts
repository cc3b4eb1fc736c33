import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { CustomFunctions } from '../../cel/custom/custom-functions.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'

/** An exchange or a raw connection: what its rules depend on. */
interface Recorded {
  readonly snapshot: Snapshot
  readonly frontend: FrontendPolicies
}

/**
 * Compiles the policy under which an exchange or a raw connection began; each policy once, and again only with other
 * functions.
 *
 * @param policyOf Selects the policy. Most configurations have none: nothing is looked up then.
 */
export const rulesByPolicy = <Policy extends object, Rules>(
  policyOf: (frontend: FrontendPolicies) => Policy | undefined,
  make: (policy: Policy, functions: CustomFunctions) => Rules,
): ((x: Recorded) => Rules | undefined) => {
  const known = new WeakMap<Policy, { readonly functions: string | undefined; readonly rules: Rules }>()
  return ({ snapshot, frontend }) => {
    const policy = policyOf(frontend)
    if (!policy) return undefined
    const { functions } = snapshot.resources
    let found = known.get(policy)
    if (found?.functions !== functions || !found)
      known.set(policy, (found = { functions, rules: make(policy, functionsOf(functions)) }))
    return found.rules
  }
}
