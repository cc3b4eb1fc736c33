import { backendAuthForm } from '../../operators/backend-auth/kubernetes/backend-auth-form.ts'
import { aiPolicyForm } from '../../operators/llm/kubernetes/ai-policy-form.ts'
import { backendExtAuthForm } from '../../operators/ext-authz/kubernetes.ts'
import { backendMcpForm } from '../../operators/mcp/kubernetes/mcp-policy.ts'
import { backendTransformationForm } from '../../operators/transformations/kubernetes.ts'
import { backendTlsForm } from '../../upstream/connect/kubernetes/tls.ts'
import { backendTcpForm } from '../../upstream/connect/kubernetes/tcp.ts'
import { tunnelForm } from '../../upstream/backend-tunnel/kubernetes.ts'
import { backendHttpForm } from '../../upstream/http/kubernetes.ts'
import { healthForm } from '../../upstream/load-balancing/kubernetes.ts'

/** The fields of `backend` of a ProxyPolicy, and of the `policies` of a ProxyBackend. */
export const backendForms = {
  tcp: backendTcpForm,
  tls: backendTlsForm,
  http: backendHttpForm,
  tunnel: tunnelForm,
  auth: backendAuthForm,
  ai: aiPolicyForm,
  mcp: backendMcpForm,
  transformation: backendTransformationForm,
  health: healthForm,
  extAuth: backendExtAuthForm,
} as const
