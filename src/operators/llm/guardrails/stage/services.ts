import type {
  BedrockGuardrails,
  ContentSafety,
  GuardRejection,
  ModelArmor,
  OpenAiModeration,
  TextScope,
} from '../../model/llm-guards.ts'
import type { PolicyBackend } from '../../model/policy-backend.ts'
import { bedrockGuardrails } from '../../operators/guard/bedrock-guardrails.ts'
import { contentSafety } from '../../operators/guard/content-safety.ts'
import type { Guard } from '../../operators/guard/guard.ts'
import { modelArmor } from '../../operators/guard/model-armor.ts'
import { openAiModeration } from '../../operators/guard/openai-moderation.ts'
import { askService } from './ask-service.ts'
import type { Workshop } from './workshop.ts'

/** The guards that services of clouds are. */
export type CloudGuardKind = OpenAiModeration | BedrockGuardrails | ModelArmor | ContentSafety

/** Makes a guard that asks the service of a cloud. */
export const compileCloudGuard = (
  kind: CloudGuardKind,
  rejection: GuardRejection,
  scopes: ReadonlySet<TextScope>,
  workshop: Workshop,
): Guard => {
  const service = {
    name: kind.type,
    ask: askService(kind.type === 'bedrockGuardrails' ? signed(kind) : kind.service, 'Guardrail', workshop),
    timeoutMs: kind.timeoutMs,
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

/** Requests are signed for Bedrock and for the guardrail's region, whatever the host is called that they go to. */
const signed = ({ service, region }: BedrockGuardrails): PolicyBackend => {
  const { backendAuth } = service.policies
  if (backendAuth === undefined || !('aws' in backendAuth)) return service
  const aws = { serviceName: 'bedrock', region, ...backendAuth.aws }
  return { ...service, policies: { ...service.policies, backendAuth: { ...backendAuth, aws } } }
}
