import { authorizationForm } from '../../operators/authorization/kubernetes.ts'
import { modelAuthField } from '../../operators/backend-auth/kubernetes/backend-auth-field.ts'
import { headerModifiersForm } from '../../operators/headers/kubernetes.ts'
import { promptGuardField } from '../../operators/llm/guardrails/kubernetes/prompt-guard-field.ts'
import { fieldExpressionsField } from '../../operators/llm/kubernetes/ai-policy-field.ts'
import { tunnelForm } from '../../upstream/backend-tunnel/kubernetes.ts'
import { backendTlsForm } from '../../upstream/connect/kubernetes/tls.ts'
import { healthForm } from '../../upstream/load-balancing/kubernetes.ts'
import { objectField } from '../schema/object-fields.ts'
import { someFieldOf } from './proxy-policy-rules.ts'

const fields = {
  authorization: authorizationForm.field,
  auth: modelAuthField,
  tls: backendTlsForm.field,
  tunnel: tunnelForm.field,
  health: healthForm.field,
  headers: headerModifiersForm.field,
  promptGuard: promptGuardField,
  transformations: fieldExpressionsField('Fields of the body that are set by expressions.', ['field']),
  finalTransformations: fieldExpressionsField('The same, on the body in the format of the provider.', [
    'field',
  ]),
}

/** `policies` of a ProxyModel. */
export const modelPoliciesField = objectField('Who may use the model, and how it is called.', fields, {
  rules: [someFieldOf(fields)],
})
