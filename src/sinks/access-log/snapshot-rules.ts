import { functionsOf } from '../../cel/custom/functions-of.ts'
import type { FrontendPolicies } from '../../model/resources/frontend-policies.ts'
import type { Snapshot } from '../../model/resources/snapshot.ts'
import { type AccessLogRules, accessLogRules } from './access-log-policy.ts'
import type { ExpressionCompiler } from './expression-compiler.ts'

/** Which records are written, and how. */
export type RecordPolicy = Parameters<typeof accessLogRules>[0]

/**
 * The rules of an exchange or a raw connection, from the snapshot under which it began; compiled once.
 *
 * @param policyOf Selects the policy.
 */
export const rulesBySnapshot = <X extends { readonly snapshot: Snapshot }>(
  compiler: ExpressionCompiler<X>,
  policyOf: (frontend: FrontendPolicies) => RecordPolicy | undefined,
): ((x: X) => AccessLogRules<X> | undefined) => {
  const known = new WeakMap<Snapshot, AccessLogRules<X>>()
  return ({ snapshot }) => {
    const { frontend, functions } = snapshot.resources
    const policy = policyOf(frontend)
    if (!policy) return undefined
    let rules = known.get(snapshot)
    if (!rules) known.set(snapshot, (rules = accessLogRules(policy, compiler(functionsOf(functions)))))
    return rules
  }
}
