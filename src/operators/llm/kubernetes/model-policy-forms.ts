/**
 * Policies of a ProxyModel that are parts of `ai` elsewhere.
 *
 * @module
 */
import { policyForm, refuseConnections } from '../../../controller/schema/policy-form.ts'
import { promptGuardField } from '../guardrails/kubernetes/prompt-guard-field.ts'
import { guardWarnings, promptGuardOf, refusingGuards } from '../guardrails/kubernetes/prompt-guard.ts'
import { fieldExpressionsField } from './ai-policy-field.ts'
import { fieldExpressionsOf } from './ai-policy-form.ts'

/** `promptGuard` of the policies of a ProxyModel. */
export const modelPromptGuardForm = policyForm({
  field: promptGuardField,
  translate: (form, context) => ({ ai: { promptGuard: promptGuardOf(form, context) } }),
  whenBroken: (message) => ({ ai: { promptGuard: refusingGuards(message) } }),
  warnings: guardWarnings,
})

/** `transformations`. What they set may be a limit: without them, nothing is sent. */
export const modelTransformationsForm = policyForm({
  field: fieldExpressionsField('Fields of the body that are set by expressions.', ['field']),
  translate: (form) => ({ ai: { transformations: fieldExpressionsOf(form) } }),
  whenBroken: refuseConnections,
})

/** `finalTransformations`. */
export const modelFinalTransformationsForm = policyForm({
  field: fieldExpressionsField('The same, on the body in the format of the provider.', ['field']),
  translate: (form) => ({ ai: { finalTransformations: fieldExpressionsOf(form) } }),
  whenBroken: refuseConnections,
})
