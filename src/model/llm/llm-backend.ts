import type { ModelCatalog } from '../resources/model-catalog.ts'
import type { BackendPolicies, Cel, SimpleBackend } from '../resources/policies.ts'
import type { NamedMatch } from '../resources/resources.ts'
import type { Authorization } from '../../operators/authorization/schema.ts'
import type { LlmGuards } from '../../operators/llm/guardrails/schema/normal-form.ts'

/** What holds for all language models. */
export interface LlmSettings {
  /** What they cost; absent if nobody said anything about that. */
  readonly modelCatalog?: ModelCatalog
  /** They are asked only if the catalog has their price. */
  readonly unknownPrice?: 'deny'
  /** Tokens of caches count as input only where their provider counts them so. The environment says so, and no file. */
  readonly cachesAsProvider?: true
  /** Betas of Anthropic's that clients may ask of Claude on Bedrock; absent: those that it is known to take. From the environment. */
  readonly bedrockBetas?: readonly string[]
}

/** Language models behind one address: the section `llm`, or a backend with `ai`. */
export interface LlmBackend {
  /** What requests are, by the end of their path. Longest first, `*` last. */
  readonly routes: readonly LlmRoute[]
  readonly choice: LlmChoice
}

/** A path's end, and what requests are that have it. */
export interface LlmRoute {
  /** `*` fits every path. */
  readonly suffix: string
  readonly type: LlmRouteType
}

/** What a request is. */
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

/** Who answers: by the model that is asked for, or always the same. */
export type LlmChoice =
  | {
      readonly by: 'model'
      /** The more exact names first, then in order of the file. */
      readonly models: readonly LlmModel[]
      readonly virtualModels: readonly VirtualModel[]
    }
  /** Groups in order of preference; the providers of one are equals. */
  | { readonly by: 'groups'; readonly groups: readonly (readonly LlmProvider[])[] }

/** A model by name, and who serves it. */
export interface LlmModel {
  readonly id: string
  /** May begin or end with `*`. */
  readonly name: string
  /** Internal ones are reached through virtual models only, and not listed. */
  readonly visibility: 'public' | 'internal'
  /** Any of these sets must hold, each as a whole; none at all always does. */
  readonly matches: readonly (readonly NamedMatch[])[]
  readonly authorization?: Authorization
  readonly provider: LlmProvider
}

/** A name that stands for several models. */
export interface VirtualModel {
  readonly name: string
  readonly routing:
    | { readonly weighted: readonly { readonly model: string; readonly weight: number }[] }
    /** Lower numbers first; those with the same number are equals. */
    | { readonly failover: readonly { readonly model: string; readonly priority: number }[] }
    | { readonly conditional: readonly { readonly model: string; readonly when?: Cel }[] }
}

/** Who serves models, how it is reached, and what is changed on the way. */
export interface LlmProvider {
  /** Unique among the providers of its backend. */
  readonly name: string
  readonly kind: LlmProviderKind
  /** As telemetry calls it: `openai`, `anthropic`, `gcp.gemini` …; for custom ones what they are called. */
  readonly telemetryName: string
  /** Asked for whatever the client asked for. */
  readonly model?: string
  /** Where it is; absent: where the provider is by its settings. */
  readonly destination?: SimpleBackend
  readonly settings: LlmProviderSettings
  /** Counts the tokens of prompts before the call. */
  readonly tokenize: boolean
  /** In place of what the path `*` says. */
  readonly passthrough?: 'detect' | 'opaque'
  /** How long the first token of a stream may take. */
  readonly firstTokenTimeoutMs?: number
  readonly mutation: LlmMutation
  /** Who looks at what it is asked, and at what it answers; absent: nobody. */
  readonly guards?: LlmGuards
  /** For the way to it where nothing is said, neither below nor about all of the backend: TLS, credentials of its cloud. */
  readonly usual: BackendPolicies
  /** For the way to it, as configured for this provider: credentials, TLS, headers, health, the time of an attempt. */
  readonly policies: BackendPolicies
}

/** A service with an interface of its own. */
export type LlmProviderKind =
  'openai' | 'anthropic' | 'gemini' | 'vertex' | 'bedrock' | 'azure' | 'copilot' | 'custom' | 'mock'

/** What addresses and paths are made of. Which are needed depends on the provider; that has been checked. */
export interface LlmProviderSettings {
  /** The destination is not the provider's own: then the client's path is kept, unless there is a prefix. */
  readonly hostOverridden: boolean
  /** In place of every path. */
  readonly pathOverride?: string
  /** In place of, or before, the beginning of the provider's paths. Without a slash at its end. */
  readonly pathPrefix?: string
  /** Of Vertex and Bedrock. */
  readonly region?: string
  /** Of Vertex and Azure AI Foundry. */
  readonly project?: string
  /** Of Azure. */
  readonly resourceName?: string
  readonly resourceType?: 'openAI' | 'foundry' | 'aiServices'
  /** Of Azure: `v1`, `preview` or a date. */
  readonly apiVersion?: string
  /** Of Bedrock: a guardrail of its own, by id and version. */
  readonly guardrail?: { readonly id: string; readonly version: string }
  /** Of OpenAI: by which model it moderates conversations, and what becomes of what is found. */
  readonly moderation?: ProviderModeration
  /** What a custom provider, or one of its presets, understands, in order of preference. */
  readonly formats?: readonly LlmProviderFormat[]
}

/** Moderation by a provider of models, in the words that requests have for it. */
export interface ProviderModeration {
  readonly model: string
  readonly policy?: {
    readonly input?: { readonly mode: 'score' | 'block' }
    readonly output?: { readonly mode: 'score' | 'block' }
  }
}

/** A format of a custom provider, and its path where that is not the usual one. */
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

/** What is changed about requests, in the order of the fields. */
export interface LlmMutation {
  /** Field of the body → JSON value, in any case. */
  readonly overrides: Readonly<Record<string, unknown>>
  /** Field of the body → expression; one that fails or gives null removes the field. */
  readonly transformation: Readonly<Record<string, Cel>>
  /** Field of the body → JSON value, where it is absent. */
  readonly defaults: Readonly<Record<string, unknown>>
  /** Name or pattern → model; names first, then the more exact patterns. */
  readonly modelAliases: readonly (readonly [pattern: string, model: string])[]
  /** Messages around those of the client. */
  readonly prompts?: LlmPrompts
  readonly promptCaching?: LlmPromptCaching
  /** Field of the provider's body → expression. */
  readonly finalTransformation: Readonly<Record<string, Cel>>
}

/** What a policy says about language models wherever they are: how requests are understood, and what is changed. */
export interface LlmPolicy extends Partial<LlmMutation> {
  readonly routes?: readonly LlmRoute[]
  /** Without guards in it, it says that there are none. */
  readonly promptGuard?: LlmGuards
}

/** Messages before and after those of the client. */
export interface LlmPrompts {
  readonly prepend: readonly LlmPrompt[]
  readonly append: readonly LlmPrompt[]
}

/** One of them. */
export interface LlmPrompt {
  readonly role: string
  readonly content: string
}

/** Where a provider that has markers for it is told to keep the prompt in its cache. */
export interface LlmPromptCaching {
  readonly cacheSystem: boolean
  readonly cacheMessages: boolean
  readonly cacheTools: boolean
  /** Shorter prompts, by a rough estimate, get no markers. */
  readonly minTokens: number
  /** Counted back from the second-to-last message: where the marker of the messages goes. */
  readonly cacheMessageOffset: number
}
