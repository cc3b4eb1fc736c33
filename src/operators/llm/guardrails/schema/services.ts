import { defaults } from '../../../../config/defaults.ts'
import {
  duration,
  either,
  flag,
  formatted,
  listOf,
  ours,
  type Properties,
  record,
  ref,
  type SchemaNode,
  text,
  whole,
} from '../../../../config/schema/builders.ts'

const { guards } = defaults.llm

/** Fields about calling a cloud service. */
const call: Properties = {
  policies: ref('SimpleBackendPolicies', 'How it is called.'),
  timeout: ours(duration('How long it may think.', guards.timeout)),
}

const host = ours(
  formatted(
    'serviceHost',
    'Another address, without TLS unless it begins with `https://` or `policies.backendTLS` says otherwise.',
  ),
)

const moderation = record('Asks the moderation of OpenAI.', {
  model: text('The model that moderates.', { minLength: 1, default: guards.moderationModel }),
  host,
  ...call,
})

const bedrock = record(
  'Asks a guardrail of Amazon Bedrock.',
  {
    guardrailIdentifier: formatted('guardrailId', 'Its identifier, or its ARN.'),
    guardrailVersion: either(
      'Its version: a number, or `DRAFT`.',
      formatted('guardrailVersion', 'Its version.'),
      whole('Its version.', 1, 99_999_999),
    ),
    region: formatted('cloudRegion', 'Its region.'),
    host,
    ...call,
  },
  { required: ['guardrailIdentifier', 'guardrailVersion', 'region'] },
)

const modelArmor = record(
  'Asks Google Model Armor.',
  {
    templateId: formatted('cloudName', 'The template.'),
    projectId: formatted('cloudName', 'Its project.'),
    location: formatted('cloudRegion', 'Its location.', { default: guards.modelArmorLocation }),
    host,
    ...call,
  },
  { required: ['templateId', 'projectId'] },
)

const analyzeText = record('Looks for hate, self-harm, sexual content and violence, and for blocked terms.', {
  severityThreshold: whole('The severity from which texts are rejected.', 0, 7, guards.severityThreshold),
  apiVersion: formatted('cloudName', 'The version of the interface.', {
    default: guards.analyzeTextVersion,
  }),
  blocklistNames: listOf(text('Its name.', { minLength: 1 }), 'Lists of terms that are rejected.'),
  haltOnBlocklistHit: flag('Whether nothing else is looked for once such a term is found.', false),
})

const safety = (more: Properties): SchemaNode =>
  record(
    'Asks Azure AI Content Safety.',
    {
      endpoint: formatted(
        'serviceEndpoint',
        'Where it is: `name.cognitiveservices.azure.com`, or with `https://` before it.',
      ),
      analyzeText: ref('LlmAnalyzeText'),
      ...more,
      host,
      ...call,
    },
    { required: ['endpoint'] },
  )

/** Definitions about guards that call cloud services. */
export const cloudGuardDefinitions: Properties = {
  LlmModeration: moderation,
  LlmBedrockGuardrails: bedrock,
  LlmModelArmor: modelArmor,
  LlmAnalyzeText: analyzeText,
  LlmContentSafety: safety({
    detectJailbreak: record('Looks for attempts to talk the model out of its rules.', {
      apiVersion: formatted('cloudName', 'The version of the interface.', {
        default: guards.detectJailbreakVersion,
      }),
    }),
  }),
  LlmAnswerSafety: safety({}),
}
