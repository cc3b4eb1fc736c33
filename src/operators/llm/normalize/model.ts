import type {
  LlmModel,
  LlmProvider,
  LlmProviderFormat,
  LlmProviderKind,
  LlmProviderSettings,
} from '../../../model/llm/llm-backend.ts'
import type { BackendPolicies, SimpleBackend } from '../../../model/resources/policies.ts'
import { publicTls } from '../../../model/resources/public-tls.ts'
import { defaults } from '../../../config/defaults.ts'
import type * as File from '../../../config/schema/file-types.gen.ts'
import { parseBaseUrl } from '../../../config/format/base-url.ts'
import { llmPresets } from '../../../protocols/llm/providers/presets.ts'
import { normalizeAuthorization } from '../../authorization/normalize.ts'
import { backendAuth } from '../../backend-auth/normalize/backend-auth.ts'
import { health } from '../../../upstream/load-balancing/normalize.ts'
import { type Context, timerMilliseconds } from '../../../config/normalize/context.ts'
import { definedFields, given } from '../../../config/normalize/optional-fields.ts'
import { headerModifier } from '../../headers/normalize.ts'
import { llmGuards } from '../guardrails/normalize/guardrails.ts'
import { modelMutation } from './mutation.ts'
import { keyAuth, providerKinds, telemetryNames, defaultProviderPolicies } from './provider.ts'
import { simpleBackend, staticTarget } from '../../../config/normalize/references.ts'
import { namedMatch } from '../../route/normalize/match.ts'
import { tlsUpstream } from '../../../streams/http/tls/normalize.ts'
import { tunnel } from '../../../upstream/backend-tunnel/normalize.ts'

/** A model with the fields of the provider that it refers to. */
export interface ResolvedModel extends File.LlmModel {
  /** The name of the referenced provider. */
  readonly referred?: string
}

/** A model of the section `llm`. */
export function llmModel(
  source: File.LlmModel,
  id: string,
  section: File.LlmSection,
  context: Context,
): LlmModel {
  const resolved = resolveModel(source, section.providers)
  return definedFields<LlmModel>({
    id,
    name: source.name,
    visibility: source.visibility ?? 'public',
    matches: (source.matches ?? []).map(({ headers }) =>
      (headers ?? []).map((header) => namedMatch(header, header.name.toLowerCase())),
    ),
    authorization: given(source.authorization, normalizeAuthorization),
    provider: llmProvider(resolved, id, section, context),
  })
}

/** Resolves the reference of a model: the model's own fields win, maps are merged. */
function resolveModel(model: File.LlmModel, providers: File.LlmSection['providers']): ResolvedModel {
  const { provider } = model
  if (typeof provider === 'string' || provider.reference === undefined) return model
  const referred = providers?.find(({ name }) => name === provider.reference)
  if (referred === undefined)
    throw new TypeError(`no provider "${provider.reference}"; the checks should have refused it`)
  const usual = referred.defaults ?? {}
  const tls = model.tls ?? model.backendTLS ?? usual.tls
  return {
    ...usual,
    ...model,
    ...(tls && { tls }),
    defaults: { ...usual.defaults, ...model.defaults },
    overrides: { ...usual.overrides, ...model.overrides },
    transformation: { ...usual.transformation, ...model.transformation },
    params: { ...referred.params, ...model.params },
    provider: referred.provider,
    referred: referred.name,
  }
}

/**
 * The provider of a model, as named in telemetry, and the provider's name for the model; undefined if that depends on
 * the request.
 */
export function servedModel(
  source: File.LlmModel,
  providers: File.LlmSection['providers'],
): { readonly telemetryName: string; readonly model: string | undefined } {
  const resolved = resolveModel(source, providers)
  const { overrides, transformation, finalTransformation, name, params } = resolved
  const { telemetryName, model } = identity(resolved)
  const set = overrides?.model
  const isComputed = transformation?.model !== undefined || finalTransformation?.model !== undefined
  const written = params?.model ?? model ?? (name.includes('*') ? undefined : name)
  return { telemetryName, model: isComputed ? undefined : typeof set === 'string' ? set : written }
}

function llmProvider(
  source: ResolvedModel,
  name: string,
  section: File.LlmSection,
  context: Context,
): LlmProvider {
  const { params = {} } = source
  const { kind, telemetryName, model, formats, baseUrl } = identity(source)
  const usualUrl =
    params.hostOverride === undefined && params.service === undefined && params.pathOverride === undefined
      ? baseUrl
      : undefined
  const address = addressOf(params, params.baseUrl ?? usualUrl)
  return definedFields<LlmProvider>({
    name,
    kind,
    telemetryName,
    model: params.model ?? model,
    destination: address.destination,
    settings: settingsOf(kind, params, address, formats),
    tokenize: params.tokenize ?? false,
    passthrough: source.passthrough,
    mutation: modelMutation(source),
    guards: llmGuards([section.policies?.guardrails, section.guardrails, source.guardrails], context),
    usual: defaultProviderPolicies(kind, address.destination === undefined),
    policies: policiesOf(source, address, context),
    firstTokenTimeoutMs: given(params.firstTokenTimeout, timerMilliseconds),
  })
}

interface Identity {
  readonly kind: LlmProviderKind
  readonly telemetryName: string
  readonly model?: string | undefined
  readonly formats?: readonly LlmProviderFormat[] | undefined
  /** The default address. */
  readonly baseUrl?: string
}

function identity({ provider, referred }: ResolvedModel): Identity {
  if (typeof provider === 'string') {
    const kind = providerKinds[provider]
    if (kind !== undefined && kind !== 'custom') return { kind, telemetryName: telemetryNames[kind] }
    return { kind: 'custom', telemetryName: provider, ...llmPresets[provider] }
  }
  const { mock, custom } = provider
  if (mock !== undefined) {
    const formats = mock.formats?.map((type) => ({ type }))
    return { kind: 'mock', telemetryName: telemetryNames.mock, model: mock.model, formats }
  }
  const { model, providerOverride, formats } = custom ?? {}
  return { kind: 'custom', telemetryName: providerOverride ?? referred ?? 'custom', model, formats }
}

/** The configured address of a provider. */
interface ServerAddress {
  readonly destination?: SimpleBackend
  readonly isEncrypted: boolean
  readonly pathPrefix?: string
}

function addressOf(params: File.LlmParams, baseUrl: string | undefined): ServerAddress {
  const written = params.pathPrefix?.replace(/\/+$/, '')
  const { host, port, isEncrypted, path } = baseUrl === undefined ? nowhere : parseBaseUrl(baseUrl)
  const ofUrl = params.pathOverride === undefined ? path : undefined
  const pathPrefix = written ?? ofUrl
  const destination: SimpleBackend | undefined =
    params.hostOverride !== undefined
      ? { kind: 'host', target: staticTarget(params.hostOverride) }
      : params.service !== undefined
        ? simpleBackend({ service: params.service })
        : host === undefined
          ? undefined
          : { kind: 'host', target: { host, port } }
  return {
    ...(destination && { destination }),
    isEncrypted,
    ...(pathPrefix !== undefined && { pathPrefix }),
  }
}

const nowhere = { host: undefined, port: 0, isEncrypted: false, path: undefined }

function settingsOf(
  kind: LlmProviderKind,
  params: File.LlmParams,
  { destination, pathPrefix }: ServerAddress,
  formats: readonly LlmProviderFormat[] | undefined,
): LlmProviderSettings {
  return definedFields<LlmProviderSettings>({
    hostOverridden: destination !== undefined,
    pathOverride: params.pathOverride,
    pathPrefix,
    region: kind === 'vertex' ? params.vertexRegion : kind === 'bedrock' ? params.awsRegion : undefined,
    project:
      kind === 'vertex' ? params.vertexProject : kind === 'azure' ? params.azureProjectName : undefined,
    ...(kind === 'azure' && {
      resourceName: params.azureResourceName,
      resourceType: params.azureResourceType,
      apiVersion: params.azureApiVersion ?? defaults.llm.azureApiVersion,
    }),
    guardrail: kind === 'bedrock' ? guardrailOf(params) : undefined,
    formats,
  })
}

function guardrailOf({
  awsGuardrailIdentifier: id,
  awsGuardrailVersion: version,
}: File.LlmParams): LlmProviderSettings['guardrail'] {
  return id === undefined || version === undefined ? undefined : { id, version }
}

function policiesOf(
  source: ResolvedModel,
  { isEncrypted }: ServerAddress,
  context: Context,
): BackendPolicies {
  const { params = {}, auth, requestHeaders, responseHeaders } = source
  const tls = source.tls ?? source.backendTLS
  return {
    ...(isEncrypted && { backendTLS: publicTls }),
    ...(params.apiKey !== undefined && { backendAuth: keyAuth(params.apiKey, context) }),
    ...definedFields<BackendPolicies>({
      requestHeaderModifier: given(requestHeaders, headerModifier),
      responseHeaderModifier: given(responseHeaders, headerModifier),
      backendTLS: given(tls, tlsUpstream),
      backendAuth: given(auth, (policy) => backendAuth(policy, context)),
      backendTunnel: given(source.backendTunnel, (policy) => tunnel(policy, context)),
      http: given(params.requestTimeout, (text) => ({ requestTimeoutMs: timerMilliseconds(text) })),
      health: given(source.health, health),
    }),
  }
}
