import type {
  LlmBackend,
  LlmProvider,
  LlmProviderKind,
  LlmProviderSettings,
} from '../../../model/llm/llm-backend.ts'
import type { SimpleBackend } from '../../../model/resources/policies.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { backendPolicies } from '../../../config/normalize/policies.ts'
import { type Context, timerMilliseconds } from '../../../config/normalize/context.ts'
import { definedFields, given, type MaybeUndefined } from '../../../config/normalize/optional-fields.ts'
import { noMutation } from './mutation.ts'
import { llmRoutes } from './ai-policy.ts'
import { telemetryNames, defaultProviderPolicies } from './provider.ts'
import { simpleBackend, staticTarget } from '../../../config/normalize/references.ts'

/** Language models behind a backend of a route, or behind a named one. */
export function aiBackend(source: File.AiBackend, context: Context): LlmBackend {
  const groups = aiGroups(source)
  const isAlone = groups.flat().length === 1
  return {
    routes: llmRoutes({ '*': 'completions' }),
    choice: {
      by: 'groups',
      groups: groups.map((group) => group.map((provider) => aiProvider(provider, isAlone, context))),
    },
  }
}

/** The groups of providers in either form of the configuration. */
function aiGroups(source: File.AiBackend): readonly (readonly File.AiProvider[])[] {
  return 'groups' in source ? source.groups.map(({ providers }) => providers) : [[source]]
}

function aiProvider(source: File.AiProvider, isAlone: boolean, context: Context): LlmProvider {
  const { kind, telemetryName, model, settings } = aiIdentity(source)
  const destination = destinationOf(source)
  const hostOverridden = destination !== undefined
  const { ai, ...policies } = backendPolicies(source.policies, context)
  const { routes, promptGuard, ...changes } = ai ?? {}
  return definedFields<LlmProvider>({
    name: source.name,
    kind,
    telemetryName,
    model,
    destination,
    settings: definedFields<LlmProviderSettings>({
      hostOverridden,
      pathOverride: source.pathOverride,
      pathPrefix: source.pathPrefix?.replace(/\/+$/, ''),
      ...settings,
    }),
    tokenize: source.tokenize ?? false,
    passthrough: undefined,
    firstTokenTimeoutMs: given(source.firstTokenTimeout, timerMilliseconds),
    mutation: { ...noMutation, ...changes },
    guards: promptGuard,
    usual: defaultProviderPolicies(kind, !hostOverridden),
    // With several providers, the type of a request must be known before one is chosen.
    policies: { ...policies, ...(isAlone && routes && { ai: { routes } }) },
  })
}

const destinationOf = ({ hostOverride, service }: File.AiProvider): SimpleBackend | undefined =>
  service === undefined
    ? given(hostOverride, (text) => ({ kind: 'host', target: staticTarget(text) }))
    : simpleBackend({ service })

/** The identity of a provider: it determines addresses and paths. */
export interface AiIdentity {
  readonly kind: LlmProviderKind
  readonly telemetryName: string
  readonly model: string | undefined
  readonly settings?: Partial<LlmProviderSettings>
}

/** Identifies a provider. */
export function aiIdentity({ name, provider }: File.AiProvider): AiIdentity {
  const known = (
    kind: keyof typeof telemetryNames,
    model: string | undefined,
    settings = {},
  ): AiIdentity => ({
    kind,
    telemetryName: telemetryNames[kind],
    model,
    settings,
  })
  const { openAI, anthropic, gemini, copilot, vertex, bedrock, azure, mock, custom } = provider
  if (openAI) return known('openai', openAI.model, openAiSettings(openAI))
  if (anthropic) return known('anthropic', anthropic.model)
  if (gemini) return known('gemini', gemini.model)
  if (copilot) return known('copilot', copilot.model)
  if (vertex) return known('vertex', vertex.model, some({ region: vertex.region, project: vertex.projectId }))
  if (bedrock) return known('bedrock', bedrock.model, bedrockSettings(bedrock))
  if (azure) return known('azure', azure.model, azureSettings(azure))
  if (mock) return known('mock', mock.model, some({ formats: mock.formats?.map((type) => ({ type })) }))
  const { model, providerOverride, formats } = custom ?? { formats: [] }
  return { kind: 'custom', telemetryName: providerOverride ?? name, model, settings: { formats } }
}

/** Omits undefined settings. */
function some(fields: MaybeUndefined<Partial<LlmProviderSettings>>): Partial<LlmProviderSettings> {
  return definedFields<Partial<LlmProviderSettings>>(fields)
}

function openAiSettings({
  moderation,
}: NonNullable<File.AiProviderKind['openAI']>): Partial<LlmProviderSettings> {
  if (!moderation) return {}
  const { model = defaults.llm.guards.moderationModel, policy } = moderation
  return { moderation: { model, ...(policy && { policy }) } }
}

function bedrockSettings(source: NonNullable<File.AiProviderKind['bedrock']>): Partial<LlmProviderSettings> {
  const { region, guardrailIdentifier: id, guardrailVersion: version } = source
  return { region, ...(id !== undefined && version !== undefined && { guardrail: { id, version } }) }
}

function azureSettings(source: NonNullable<File.AiProviderKind['azure']>): Partial<LlmProviderSettings> {
  return some({
    resourceName: source.resourceName,
    resourceType: source.resourceType,
    apiVersion: source.apiVersion ?? defaults.llm.azureApiVersion,
    project: source.projectName,
  })
}
