import type { BackendAuth } from '../../../backend-auth/schema/normal-form.ts'
import type { BedrockGuardrails, ContentSafety, ModelArmor, OpenAiModeration } from '../schema/normal-form.ts'
import type { PolicyBackend } from '../../../../model/policies/policy-backend.ts'
import { publicTls } from '../../../../model/resources/public-tls.ts'
import { defaults } from '../../../../config/defaults.ts'
import type * as File from '../../../../config/schema/file-types.gen.ts'
import { parseEndpoint } from '../../../../config/format/cloud-names.ts'

import { type Context, milliseconds } from '../../../../config/normalize/context.ts'
import { definedFields, given } from '../../../../config/normalize/optional-fields.ts'
import { staticTarget, tlsOfHost } from '../../../../config/normalize/references.ts'

const { guards } = defaults.llm

/** `openAIModeration`. */
export function moderation(source: File.LlmModeration, context: Context): OpenAiModeration {
  return {
    type: 'openAIModeration',
    model: source.model ?? guards.moderationModel,
    ...call(source, { host: 'api.openai.com' }, context),
  }
}

/** `bedrockGuardrails`. */
export function bedrockGuardrailsSettings(
  source: File.LlmBedrockGuardrails,
  context: Context,
): BedrockGuardrails {
  const { guardrailIdentifier, guardrailVersion, region } = source
  return {
    type: 'bedrockGuardrails',
    guardrailIdentifier,
    guardrailVersion: String(guardrailVersion),
    region,
    ...call(
      source,
      { host: `bedrock-runtime.${region}.amazonaws.com`, auth: { aws: {}, credentials: [] } },
      context,
    ),
  }
}

/** `googleModelArmor`. */
export function armor(source: File.LlmModelArmor, context: Context): ModelArmor {
  const { templateId, projectId, location = guards.modelArmorLocation } = source
  return {
    type: 'googleModelArmor',
    templateId,
    projectId,
    location,
    ...call(
      source,
      {
        host: `modelarmor.${location}.rep.googleapis.com`,
        auth: { gcp: { type: 'accessToken' }, credentials: [] },
      },
      context,
    ),
  }
}

/** `azureContentSafety`, of requests or of responses. */
export function contentSafetySettings(
  source: File.LlmContentSafety | File.LlmAnswerSafety,
  context: Context,
): ContentSafety {
  const { endpoint, analyzeText } = source
  const detectJailbreak = 'detectJailbreak' in source ? source.detectJailbreak : undefined
  const address = parseEndpoint(endpoint)
  if (address === undefined)
    throw new TypeError(`"${endpoint}" is no endpoint; the checks should have refused it`)
  return definedFields<ContentSafety>({
    type: 'azureContentSafety',
    analyzeText: given(
      analyzeText,
      ({ severityThreshold, apiVersion, blocklistNames, haltOnBlocklistHit }) => ({
        severityThreshold: severityThreshold ?? guards.severityThreshold,
        apiVersion: apiVersion ?? guards.analyzeTextVersion,
        blocklistNames: blocklistNames ?? [],
        haltOnBlocklistHit: haltOnBlocklistHit ?? false,
      }),
    ),
    detectJailbreak: given(detectJailbreak, ({ apiVersion }) => ({
      apiVersion: apiVersion ?? guards.detectJailbreakVersion,
    })),
    ...call(source, { ...address, auth: { azure: { implicit: {} }, credentials: [] } }, context),
  })
}

/** The defaults of a cloud service: its address and credentials. */
interface Usual {
  readonly host: string
  readonly port?: number
  readonly isEncrypted?: boolean
  readonly auth?: BackendAuth
}

interface Call {
  readonly host?: string
  readonly policies?: File.SimpleBackendPolicies
  readonly timeout?: string
}

function call(
  { host, policies, timeout }: Call,
  usual: Usual,
  context: Context,
): { readonly service: PolicyBackend; readonly timeoutMs?: number } {
  const own = context.calloutPolicies(policies)
  const isEncrypted = host === undefined && usual.isEncrypted !== false
  const target = host === undefined ? { host: usual.host, port: usual.port ?? 443 } : staticTarget(host)
  return {
    service: {
      backend: { kind: 'host', target },
      policies: {
        ...(isEncrypted && { backendTLS: publicTls }),
        ...tlsOfHost(host),
        ...(usual.auth && { backendAuth: usual.auth }),
        ...own,
      },
    },
    ...(timeout !== undefined && { timeoutMs: milliseconds(timeout) }),
  }
}
