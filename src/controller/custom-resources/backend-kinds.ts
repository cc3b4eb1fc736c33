import { a2aBackendForm } from '../../operators/a2a/kubernetes.ts'
import { awsBackendForm } from '../../operators/backend/kubernetes/aws-backend.ts'
import { dynamicBackendForm } from '../../operators/backend/kubernetes/dynamic-backend.ts'
import { staticBackendForm } from '../../operators/backend/kubernetes/static-backend.ts'
import { aiBackendOf } from '../../operators/llm/kubernetes/ai-backend.ts'
import { aiBackendField } from '../../operators/llm/kubernetes/ai-backend-field.ts'
import { mcpBackendOf } from '../../operators/mcp/kubernetes/mcp-backend.ts'
import { mcpBackendField } from '../../operators/mcp/kubernetes/mcp-backend-field.ts'
import { type BackendForm, backendForm } from '../schema/backend-form.ts'
import { mcpTargetForms, mcpTargetPoliciesField } from './mcp-target-policies.ts'
import { providerForms, providerPoliciesField } from './provider-policies.ts'

/** `ai` of a ProxyBackend: the policies of its providers are those of backends. */
const aiBackendForm = backendForm({
  field: aiBackendField(providerPoliciesField),
  translate: (form, context) => {
    const ai = aiBackendOf(form, context, (fields, path) => context.policies(providerForms, fields, path))
    return ai && { ai }
  },
})

/** `mcp` of a ProxyBackend: the policies of its servers are some of those of backends. */
const mcpBackendForm = backendForm({
  field: mcpBackendField(mcpTargetPoliciesField),
  translate: (form, context) => ({
    mcp: mcpBackendOf(form, context, (fields, path) => context.policies(mcpTargetForms, fields, path)),
  }),
})

/** The kinds of a ProxyBackend, by the names of their fields. Schema and translation follow from them. */
export const backendKinds: Readonly<Record<string, BackendForm>> = {
  a2a: a2aBackendForm,
  ai: aiBackendForm,
  aws: awsBackendForm,
  dynamicForwardProxy: dynamicBackendForm,
  mcp: mcpBackendForm,
  static: staticBackendForm,
}
