import { authorizationForm } from '../../operators/authorization/kubernetes.ts'
import { headerModifiersForm } from '../../operators/headers/kubernetes.ts'
import { modelAuthForm } from '../../operators/backend-auth/kubernetes/backend-auth-form.ts'
import {
  modelFinalTransformationsForm,
  modelPromptGuardForm,
  modelTransformationsForm,
} from '../../operators/llm/kubernetes/model-policy-forms.ts'
import { tunnelForm } from '../../upstream/backend-tunnel/kubernetes.ts'
import { backendTlsForm } from '../../upstream/connect/kubernetes/tls.ts'
import { healthForm } from '../../upstream/load-balancing/kubernetes.ts'
import { objectField } from '../schema/object-fields.ts'
import { fieldsOfForms } from '../schema/policy-form.ts'
import { someFieldOf } from './proxy-policy-rules.ts'

/** The fields of `policies` of a ProxyModel. */
export const modelForms = {
  authorization: authorizationForm,
  auth: modelAuthForm,
  tls: backendTlsForm,
  tunnel: tunnelForm,
  health: healthForm,
  headers: headerModifiersForm,
  promptGuard: modelPromptGuardForm,
  transformations: modelTransformationsForm,
  finalTransformations: modelFinalTransformationsForm,
} as const

const fields = fieldsOfForms(modelForms)

/** `policies` of a ProxyModel. */
export const modelPoliciesField = objectField('Who may use the model, and how it is called.', fields, {
  rules: [someFieldOf(fields)],
})
