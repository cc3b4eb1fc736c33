import { a2aBackendForm } from '../../operators/a2a/kubernetes.ts'
import { awsBackendForm } from '../../operators/backend/kubernetes/aws-backend.ts'
import { dynamicBackendForm } from '../../operators/backend/kubernetes/dynamic-backend.ts'
import { staticBackendForm } from '../../operators/backend/kubernetes/static-backend.ts'
import { aiBackendOf } from '../../operators/llm/kubernetes/ai-backend.ts'
import { aiBackendField } from '../../operators/llm/kubernetes/ai-backend-field.ts'
import { type BackendForm, backendForm } from '../schema/backend-form.ts'
import { providerForms, providerPoliciesField } from './provider-policies.ts'

/** `ai` of a ProxyBackend: the policies of its providers are those of backends. */
const aiBackendForm = backendForm({
  field: aiBackendField(providerPoliciesField),
  translate: (form, context) => {
    const ai = aiBackendOf(form, context, (fields, path) => context.policies(providerForms, fields, path))
    return ai && { ai }
  },
})

/** The kinds of a ProxyBackend, by the names of their fields. Schema and translation follow from them. */
export const backendKinds: Readonly<Record<string, BackendForm>> = {
  a2a: a2aBackendForm,
  ai: aiBackendForm,
  aws: awsBackendForm,
  dynamicForwardProxy: dynamicBackendForm,
  static: staticBackendForm,
}
