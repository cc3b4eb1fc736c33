import type { ModelCatalog } from '../resources/model-catalog.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../resources/policies.ts'
import type { NamedMatch } from '../resources/resources.ts'
import type { Authorization } from '../../operators/authorization/schema.ts'
import type { LlmGuards } from '../../operators/llm/guardrails/schema/normal-form.ts'

/** Settings of all language models. */
export interface LlmSettings {
  /** Prices; absent if none are configured. */
  readonly modelCatalog?: ModelCatalog
  /** Rejects models whose price is not in the catalog. */
  readonly unknownPrice?: 'deny'
  /** Cached tokens count as input only where their provider counts them so. Set by the environment, not in files. */
  readonly cachesAsProvider?: true
  /** Anthropic betas that clients may request of Claude on Bedrock; absent: a built-in list. Set by the environment. */
  readonly bedrockBetas?: readonly string[]
}

/** Language models behind one address: the section `llm`, or a backend with `ai`. */
export interface LlmBackend {
  /** Request types by path suffix. Longest first, `*` last. */
  readonly routes: readonly LlmRoute[]
  readonly choice: LlmChoice
}

/** A path suffix and the request type that it selects. */
export interface LlmRoute {
  /** `*` matches every path. */
  readonly suffix: string
  readonly type: LlmRouteType
}

/** The type of a request. */
export type LlmRouteType =
  | 'completions'
  | 'messages'
  | 'responses'
  | 'generateContent'
  | 'converse'
  | 'invoke'
  | 'embeddings'
  | 'rerank'
  | 'anthropicTokenCount'
  | 'geminiCountTokens'
  | 'models'
  | 'realtime'
  | 'detect'
  | 'passthrough'

/** How a provider is chosen: by the requested model, or from fixed groups. */
export type LlmChoice =
  | {
      readonly by: 'model'
      /** More specific names first, then in order of the file. */
      readonly models: readonly LlmModel[]
      readonly virtualModels: readonly VirtualModel[]
    }
  /** Groups in order of preference; the providers of a group are equivalent. */
  | { readonly by: 'groups'; readonly groups: readonly (readonly LlmProvider[])[] }

/** A model by name, and its provider. */
export interface LlmModel {
  readonly id: string
  /** May begin or end with `*`. */
  readonly name: string
  /** Internal models are reached through virtual models only, and are not listed. */
  readonly visibility: 'public' | 'internal'
  /** Matches if all conditions of any set match, or if there are no sets. */
  readonly matches: readonly (readonly NamedMatch[])[]
  readonly authorization?: Authorization
  readonly provider: LlmProvider
}

/** A virtual model: one name for several models. */
export interface VirtualModel {
  readonly name: string
  readonly routing:
    | { readonly weighted: readonly (VirtualTarget & { readonly weight: number })[] }
    /** Lower numbers first; equal numbers are equivalent. */
    | { readonly failover: readonly (VirtualTarget & { readonly priority: number })[] }
    | { readonly conditional: readonly (VirtualTarget & { readonly when?: Cel })[] }
}

/** One of the models of a virtual one. */
export interface VirtualTarget {
  /** As clients would request it. */
  readonly model: string
  /** Of the model that serves it; absent: the first whose name fits. */
  readonly id?: string
}

/** A provider of models: its address, its policies, and changes to requests. */
export interface LlmProvider {
  /** Unique among the providers of its backend. */
  readonly name: string
  readonly kind: LlmProviderKind
  /** The name in telemetry: `openai`, `anthropic`, `gcp.gemini` …; for custom providers, their own name. */
  readonly telemetryName: string
  /** Replaces the model that the client requested. */
  readonly model?: string
  /** Its address; absent: derived from the settings. */
  readonly destination?: SimpleBackend
  readonly settings: LlmProviderSettings
  /** Counts the tokens of prompts before the call. */
  readonly tokenize: boolean
  /** Overrides the type of the route `*`. */
  readonly passthrough?: 'detect' | 'opaque'
  /** Timeout of the first token of a stream. */
  readonly firstTokenTimeoutMs?: number
  readonly mutation: LlmMutation
  /** Guards on requests and responses; absent: none. */
  readonly guards?: LlmGuards
  /** Default policies, where neither the provider nor the backend configures any: TLS, credentials of its cloud. */
  readonly usual: BackendPolicies
  /** Policies configured for this provider: credentials, TLS, headers, health, the timeout of an attempt. */
  readonly policies: BackendPolicies
}

/** A provider with an API of its own. */
export type LlmProviderKind =
  'openai' | 'anthropic' | 'gemini' | 'vertex' | 'bedrock' | 'azure' | 'copilot' | 'custom' | 'mock'

/** Settings from which addresses and paths are built. Required ones depend on the provider and have been validated. */
export interface LlmProviderSettings {
  /** The destination is not the provider's own: the client's path is kept, unless there is a prefix. */
  readonly hostOverridden: boolean
  /** Replaces every path. */
  readonly pathOverride?: string
  /** Replaces or precedes the beginning of the provider's paths. Without a trailing slash. */
  readonly pathPrefix?: string
  /** Vertex and Bedrock. */
  readonly region?: string
  /** Vertex and Azure AI Foundry. */
  readonly project?: string
  /** Azure. */
  readonly resourceName?: string
  readonly resourceType?: 'openAI' | 'foundry' | 'aiServices'
  /** Azure: `v1`, `preview` or a date. */
  readonly apiVersion?: string
  /** Bedrock: a guardrail of its own, by id and version. */
  readonly guardrail?: { readonly id: string; readonly version: string }
  /** OpenAI: the moderation model, and the policy for its findings. */
  readonly moderation?: ProviderModeration
  /** Formats of a custom provider, or of one of its presets, in order of preference. */
  readonly formats?: readonly LlmProviderFormat[]
}

/** Moderation by the provider, in the form of its request field. */
export interface ProviderModeration {
  readonly model: string
  readonly policy?: {
    readonly input?: { readonly mode: 'score' | 'block' }
    readonly output?: { readonly mode: 'score' | 'block' }
  }
}

/** A format of a custom provider, and its path if that is not the default one. */
export interface LlmProviderFormat {
  readonly type:
    | 'completions'
    | 'messages'
    | 'responses'
    | 'embeddings'
    | 'anthropicTokenCount'
    | 'generateContent'
    | 'geminiCountTokens'
    | 'realtime'
    | 'rerank'
  readonly path?: string
}

/** Changes to requests, applied in the order of the fields. */
export interface LlmMutation {
  /** Field of the body → JSON value, set always. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Field of the body → expression; one that fails or gives null removes the field. */
  readonly transformation: Readonly<Record<string, Cel>>
  /** Field of the body → JSON value, set if absent. */
  readonly defaults: Readonly<Record<string, unknown>>
  /** Name or pattern → model; names first, then more specific patterns. */
  readonly modelAliases: readonly (readonly [pattern: string, model: string])[]
  /** Messages around those of the client. */
  readonly prompts?: LlmPrompts
  readonly promptCaching?: LlmPromptCaching
  /** Field of the provider's body → expression. */
  readonly finalTransformation: Readonly<Record<string, Cel>>
}

/** The `ai` policy, for language models of any backend: request types and changes. */
export interface LlmPolicy extends Partial<LlmMutation> {
  readonly routes?: readonly LlmRoute[]
  /** Empty means that there are no guards. */
  readonly promptGuard?: LlmGuards
}

/** Messages before and after those of the client. */
export interface LlmPrompts {
  readonly prepend: readonly LlmPrompt[]
  readonly append: readonly LlmPrompt[]
}

/** A message to add. */
export interface LlmPrompt {
  readonly role: string
  readonly content: string
}

/** Where cache markers are set for providers that have them. */
export interface LlmPromptCaching {
  readonly cacheSystem: boolean
  readonly cacheMessages: boolean
  readonly cacheTools: boolean
  /** Prompts below this estimate get no markers. */
  readonly minTokens: number
  /** Position of the message marker, counted back from the second-to-last message. */
  readonly cacheMessageOffset: number
}
