import type { Cel } from '../../../../model/resources/policies.ts'
import type { PolicyBackend } from '../../../../model/policies/policy-backend.ts'

/** What looks at conversations with language models: at what is asked, and at what is answered. */
export interface LlmGuards {
  /** In this order; the first that rejects ends it. */
  readonly request: readonly RequestGuard[]
  readonly response: readonly ResponseGuard[]
  readonly streaming: GuardStreaming
}

/**
 * What becomes of answers that are streams: held, checked as a whole and replayed (`Buffer`), checked piece by piece
 * (`Enabled`), or not checked (`Disabled`).
 */
export type GuardStreaming =
  | { readonly mode: 'Buffer' | 'Disabled' }
  | {
      readonly mode: 'Enabled'
      /** So much text is looked at together, in bytes of UTF-8. */
      readonly windowBytes: number
      /** So much of the text before it is looked at once more, for what lies across the border. */
      readonly overlapBytes: number
    }

/** One guard of what is asked. */
export interface RequestGuard {
  readonly kind: RequestGuardKind
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/** One guard of what is answered. */
export interface ResponseGuard {
  readonly kind: ResponseGuardKind
  readonly rejection: GuardRejection
}

/** Where a text stands in a conversation. What the model says, and asks tools for, is `messages` and `toolInput`. */
export type TextScope = 'systemPrompt' | 'messages' | 'toolOutput' | 'toolInput'

/** What a client gets in place of an answer. */
export interface GuardRejection {
  readonly status: number
  readonly body: string
  readonly headers: {
    readonly add: readonly (readonly [name: string, value: string])[]
    readonly set: readonly (readonly [name: string, value: string])[]
    readonly remove: readonly string[]
  }
}

/** What can look at questions. */
export type RequestGuardKind =
  RegexGuard | WebhookGuard | OpenAiModeration | BedrockGuardrails | ModelArmor | ContentSafety

/** What can look at answers. */
export type ResponseGuardKind = Exclude<RequestGuardKind, OpenAiModeration>

/** Finds texts by their shape. */
export interface RegexGuard {
  readonly type: 'regex'
  readonly action: 'mask' | 'reject'
  /** Each works on what the one before it left. */
  readonly rules: readonly RegexRule[]
}

/** A shape: one that is known by its name, or a pattern. */
export type RegexRule =
  | { readonly builtin: 'creditCard'; readonly luhn: boolean }
  | { readonly builtin: 'ssn' | 'phoneNumber' | 'email' | 'caSin' }
  /** RE2 syntax. */
  | { readonly pattern: string }

/** Asks a service of the user's own. */
export interface WebhookGuard {
  readonly type: 'webhook'
  readonly service: PolicyBackend
  /** Name, lower-case, or `:path`, `:method`, `:authority` → expression over the client's request. */
  readonly headers: readonly (readonly [name: string, value: Cel])[]
  /** Headers to be shown to the service: of the client's request, or of the provider's answer. */
  readonly forwardHeaders: readonly ForwardedHeader[]
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Without it that of the service counts. */
  readonly timeoutMs?: number
}

/** A header that is shown if its value is this, or has this shape (RE2 syntax). */
export interface ForwardedHeader {
  /** Lower-case. */
  readonly name: string
  readonly value: { readonly exact: string } | { readonly regex: string }
}

/** What the services of clouds have in common. */
interface CloudGuard {
  /** How the service is reached: its address unless configured otherwise, credentials, TLS. */
  readonly service: PolicyBackend
  /** Without it that of the service counts. */
  readonly timeoutMs?: number
}

/** `POST /v1/moderations`. */
export interface OpenAiModeration extends CloudGuard {
  readonly type: 'openAIModeration'
  readonly model: string
}

/** `POST /guardrail/ID/version/VERSION/apply`. */
export interface BedrockGuardrails extends CloudGuard {
  readonly type: 'bedrockGuardrails'
  readonly guardrailIdentifier: string
  readonly guardrailVersion: string
  readonly region: string
}

/** `POST /v1/projects/P/locations/L/templates/T:sanitize…`. */
export interface ModelArmor extends CloudGuard {
  readonly type: 'googleModelArmor'
  readonly templateId: string
  readonly projectId: string
  readonly location: string
}

/** `POST /contentsafety/text:analyze` and `text:detectJailbreak`. */
export interface ContentSafety extends CloudGuard {
  readonly type: 'azureContentSafety'
  readonly analyzeText?: {
    readonly severityThreshold: number
    readonly apiVersion: string
    readonly blocklistNames: readonly string[]
    readonly haltOnBlocklistHit: boolean
  }
  /** Of questions only. */
  readonly detectJailbreak?: { readonly apiVersion: string }
}
