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

/** Policies and timeout of calls to a cloud service. */
const call: Properties = {
  policies: ref('SimpleBackendPolicies', 'Policies for requests to the service.'),
  timeout: ours(duration('Timeout of a call.', guards.timeout)),
}

const host = ours(
  formatted(
    'serviceHost',
    'Address override, as `host:port` or URL. TLS is used for `https://` or with `policies.backendTLS`.',
  ),
)

const moderation = record('Checks text with the OpenAI moderation API.', {
  model: text('Moderation model.', { minLength: 1, default: guards.moderationModel }),
  host,
  ...call,
})

const bedrock = record(
  'Checks text with an Amazon Bedrock guardrail.',
  {
    guardrailIdentifier: formatted('guardrailId', 'Identifier or ARN of the guardrail.'),
    guardrailVersion: either(
      'Version of the guardrail: a number, or `DRAFT`.',
      formatted('guardrailVersion', 'Version.'),
      whole('Version.', 1, 99_999_999),
    ),
    region: formatted('cloudRegion', 'Region.'),
    host,
    ...call,
  },
  { required: ['guardrailIdentifier', 'guardrailVersion', 'region'] },
)

const modelArmor = record(
  'Checks text with Google Model Armor.',
  {
    templateId: formatted('cloudName', 'Template ID.'),
    projectId: formatted('cloudName', 'Project ID.'),
    location: formatted('cloudRegion', 'Location.', { default: guards.modelArmorLocation }),
    host,
    ...call,
  },
  { required: ['templateId', 'projectId'] },
)

const analyzeText = record('Detects hate, self-harm, sexual content, violence and blocklisted terms.', {
  severityThreshold: whole('Minimum severity that is rejected.', 0, 7, guards.severityThreshold),
  apiVersion: formatted('cloudName', 'API version.', {
    default: guards.analyzeTextVersion,
  }),
  blocklistNames: listOf(text('Blocklist name.', { minLength: 1 }), 'Blocklists whose terms are rejected.'),
  haltOnBlocklistHit: flag('Whether the analysis stops at the first blocklisted term.', false),
})

const safety = (more: Properties): SchemaNode =>
  record(
    'Checks text with Azure AI Content Safety.',
    {
      endpoint: formatted(
        'serviceEndpoint',
        'Endpoint of the resource: `name.cognitiveservices.azure.com`, optionally with `https://`.',
      ),
      analyzeText: ref('LlmAnalyzeText'),
      ...more,
      host,
      ...call,
    },
    { required: ['endpoint'] },
  )

/** Definitions of guards by cloud services. */
export const cloudGuardDefinitions: Properties = {
  LlmModeration: moderation,
  LlmBedrockGuardrails: bedrock,
  LlmModelArmor: modelArmor,
  LlmAnalyzeText: analyzeText,
  LlmContentSafety: safety({
    detectJailbreak: record('Detects prompt attacks (jailbreaks).', {
      apiVersion: formatted('cloudName', 'API version.', {
        default: guards.detectJailbreakVersion,
      }),
    }),
  }),
  LlmAnswerSafety: safety({}),
}
