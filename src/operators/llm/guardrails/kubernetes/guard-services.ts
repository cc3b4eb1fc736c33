/**
 * Guards that are services, in the notation of a file. Undefined where something they need is missing.
 *
 * @module
 */
import type * as File from '../../../../config/schema/file-types.gen.ts'
import type { FormContext } from '../../../../controller/schema/form-context.ts'
import { backendTlsForm } from '../../../../upstream/connect/kubernetes/tls.ts'
import { backendTcpForm } from '../../../../upstream/connect/kubernetes/tcp.ts'
import { tunnelForm } from '../../../../upstream/backend-tunnel/kubernetes.ts'
import { backendHttpForm } from '../../../../upstream/http/kubernetes.ts'
import { backendAuthOf } from '../../../backend-auth/kubernetes/backend-auth-form.ts'
import type {
  BedrockGuardrailsForm,
  CallPoliciesForm,
  ModelArmorForm,
  ModerationForm,
  WebhookForm,
} from './guard-service-fields.ts'

/** `webhook`. */
export const webhookOf = (
  { backendRef, headers, forwardHeaderMatches, failureMode }: WebhookForm,
  context: FormContext,
): File.LlmWebhookGuard | undefined => {
  const target = context.backend(backendRef)
  if (!target) return undefined
  return {
    target,
    ...(headers === undefined ? {} : { headers: { ...headers } }),
    ...(forwardHeaderMatches === undefined
      ? {}
      : {
          forwardHeaderMatches: forwardHeaderMatches.map(({ name, type, value }) => ({
            name,
            value: type === 'RegularExpression' ? { regex: value } : { exact: value },
          })),
        }),
    failureMode: failureMode === 'FailOpen' ? 'failOpen' : 'failClosed',
  }
}

/** `openAIModeration`. */
export const moderationOf = (
  { model, policies }: ModerationForm,
  context: FormContext,
): File.LlmModeration | undefined => {
  const calls = callPoliciesOf(policies, context)
  return calls && { ...calls, ...(model === undefined ? {} : { model }) }
}

/** `bedrockGuardrails`. */
export const bedrockGuardrailsOf = (
  { identifier, version, region, policies }: BedrockGuardrailsForm,
  context: FormContext,
): File.LlmBedrockGuardrails | undefined => {
  const calls = callPoliciesOf(policies, context)
  return calls && { ...calls, guardrailIdentifier: identifier, guardrailVersion: version, region }
}

/** `googleModelArmor`. */
export const modelArmorOf = (
  { templateId, projectId, location, policies }: ModelArmorForm,
  context: FormContext,
): File.LlmModelArmor | undefined => {
  const calls = callPoliciesOf(policies, context)
  return calls && { ...calls, templateId, projectId, ...(location === undefined ? {} : { location }) }
}

const callPoliciesOf = (
  form: CallPoliciesForm | undefined,
  context: FormContext,
): { policies?: File.SimpleBackendPolicies } | undefined => {
  if (!form) return {}
  const { auth, http, tcp, tls, tunnel } = form
  const backendAuth = auth && backendAuthOf(auth, context)
  const parts = [
    auth && backendAuth && { backendAuth },
    http && backendHttpForm.translate(http, context),
    tcp && backendTcpForm.translate(tcp, context),
    tls && backendTlsForm.translate(tls, context),
    tunnel && tunnelForm.translate(tunnel, context),
  ]
  const isMissing = [auth, http, tcp, tls, tunnel].some((part, i) => part !== undefined && !parts[i])
  return isMissing ? undefined : { policies: Object.assign({}, ...parts) as File.SimpleBackendPolicies }
}
