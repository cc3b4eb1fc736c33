import type { Authorization, AuthorizationRule } from '../../model/authorization.ts'
import type { FrontendPolicies } from '../../model/frontend-policies.ts'
import type { Cel } from '../../model/policies.ts'
import type { RuleMode } from '../../model/rules.ts'
import { authorize } from '../../operators/authorize.ts'
import type { Operator } from '../../pipeline/stage.ts'
import type { Workshop } from './workshop.ts'

/** Makes the stage that lets pass whom the rules let pass; none if there are no rules. */
export const authorizeStage = (
  policy: Authorization | undefined,
  { http: { maxBufferBytes } }: FrontendPolicies,
  { expression }: Workshop,
): Operator | undefined =>
  policy && policy.rules.length > 0
    ? authorize({
        rules: policy.rules
          .map(ruleParts)
          .map(([mode, text]) => ({ mode, text, expression: expression(text) })),
        bufferLimitBytes: maxBufferBytes,
      })
    : undefined

/** What a rule says, and its expression. */
export const ruleParts = (rule: AuthorizationRule): readonly [mode: RuleMode, text: Cel] => {
  if ('deny' in rule) return ['deny', rule.deny]
  return 'require' in rule ? ['require', rule.require] : ['allow', rule.allow]
}
