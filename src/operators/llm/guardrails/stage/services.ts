import type {
  BedrockGuardrails,
  ContentSafety,
  GuardRejection,
  ModelArmor,
  OpenAiModeration,
  TextScope,
} from '../schema/normal-form.ts'
import type { PolicyBackend } from '../../../../model/policies/policy-backend.ts'
import { bedrockGuardrails } from '../services/bedrock-guardrails.ts'
import { contentSafety } from '../services/content-safety.ts'
import type { Guard } from '../guard.ts'
import { modelArmor } from '../services/model-armor.ts'
import { openAiModeration } from '../services/openai-moderation.ts'
import { defaults } from '../../../../config/defaults.ts'
import { milliseconds } from '../../../../config/normalize/context.ts'
import { compileHttpCallout } from '../../../callout/stage/http-callout.ts'
import { callTimeoutMs } from '../../../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../../../config/compile/compile-context.ts'

/** Guards that call cloud services. */
export type CloudGuardKind = OpenAiModeration | BedrockGuardrails | ModelArmor | ContentSafety

/** Compiles a guard that calls a cloud service. */
export const compileCloudGuard = (
  kind: CloudGuardKind,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  context: CompileContext,
): Guard => {
  const service = {
    name: kind.type,
    callout: compileHttpCallout(
      kind.type === 'bedrockGuardrails' ? signed(kind) : kind.service,
      'Guardrail',
      context,
    ),
    timeoutMs:
      kind.timeoutMs ?? callTimeoutMs(kind.service, context, milliseconds(defaults.llm.guards.timeout)),
  }
  const common = { service, rejection, scopes }
  switch (kind.type) {
    case 'openAIModeration':
      return openAiModeration({ ...common, model: kind.model })
    case 'bedrockGuardrails': {
      const { guardrailIdentifier, guardrailVersion } = kind
      return bedrockGuardrails({ ...common, guardrailIdentifier, guardrailVersion })
    }
    case 'googleModelArmor': {
      const { projectId, location, templateId } = kind
      return modelArmor({ ...common, projectId, location, templateId })
    }
    case 'azureContentSafety': {
      const { analyzeText, detectJailbreak } = kind
      return contentSafety({
        ...common,
        ...(analyzeText && { analyzeText }),
        ...(detectJailbreak && { detectJailbreak }),
      })
    }
  }
}

/** Requests are signed for Bedrock and the guardrail's region, whatever their host. */
const signed = ({ service, region }: BedrockGuardrails): PolicyBackend => {
  const { backendAuth } = service.policies
  if (backendAuth === undefined || !('aws' in backendAuth)) return service
  const aws = { serviceName: 'bedrock', region, ...backendAuth.aws }
  return { ...service, policies: { ...service.policies, backendAuth: { ...backendAuth, aws } } }
}
