import type { Cel } from '../../../../model/resources/policies.ts'
import type { PolicyBackend } from '../../../../model/policies/policy-backend.ts'

/** Guards of conversations with language models: of requests and of responses. */
export interface LlmGuards {
  /** In order; the first that rejects ends the run. */
  readonly request: readonly RequestGuard[]
  readonly response: readonly ResponseGuard[]
  readonly streaming: GuardStreaming
}

/**
 * What happens to streamed responses: they are buffered, checked as a whole and replayed (`Buffer`), checked piece by
 * piece (`Enabled`), or not checked (`Disabled`).
 */
export type GuardStreaming =
  | { readonly mode: 'Buffer' | 'Disabled' }
  | {
      readonly mode: 'Enabled'
      /** Text per check, in bytes of UTF-8. */
      readonly windowBytes: number
      /** Text before it that is checked again, for matches across the boundary. */
      readonly overlapBytes: number
    }

/** A guard of requests. */
export interface RequestGuard {
  readonly kind: RequestGuardKind
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/** A guard of responses. */
export interface ResponseGuard {
  readonly kind: ResponseGuardKind
  readonly rejection: GuardRejection
}

/** The kind of a text in a conversation. The model's texts and tool calls are `messages` and `toolInput`. */
export type TextScope = 'systemPrompt' | 'messages' | 'toolOutput' | 'toolInput'

/** The reply to the client in place of a response. */
export interface GuardRejection {
  readonly status: number
  readonly body: string
  readonly headers: {
    readonly add: readonly (readonly [name: string, value: string])[]
    readonly set: readonly (readonly [name: string, value: string])[]
    readonly remove: readonly string[]
  }
}

/** The kinds of guards for requests. */
export type RequestGuardKind =
  RegexGuard | WebhookGuard | OpenAiModeration | BedrockGuardrails | ModelArmor | ContentSafety

/** The kinds of guards for responses. */
export type ResponseGuardKind = Exclude<RequestGuardKind, OpenAiModeration>

/** Finds texts by patterns. */
export interface RegexGuard {
  readonly type: 'regex'
  readonly action: 'mask' | 'reject'
  /** Each gets the result of the one before it. */
  readonly rules: readonly RegexRule[]
}

/** A built-in pattern, or a custom one. */
export type RegexRule =
  | { readonly builtin: 'creditCard'; readonly luhn: boolean }
  | { readonly builtin: 'ssn' | 'phoneNumber' | 'email' | 'caSin' }
  /** RE2 syntax. */
  | { readonly pattern: string }

/** Calls a service of the operator. */
export interface WebhookGuard {
  readonly type: 'webhook'
  readonly service: PolicyBackend
  /** Name, lower-case, or `:path`, `:method`, `:authority` → expression over the client's request. */
  readonly headers: readonly (readonly [name: string, value: Cel])[]
  /** Headers forwarded to the service: of the client's request, or of the provider's response. */
  readonly forwardHeaders: readonly ForwardedHeader[]
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Default: the timeout of the service. */
  readonly timeoutMs?: number
}

/** A header that is forwarded if its value equals the text, or matches the pattern (RE2 syntax). */
export interface ForwardedHeader {
  /** Lower-case. */
  readonly name: string
  readonly value: { readonly exact: string } | { readonly regex: string }
}

/** Common fields of cloud services. */
interface CloudGuard {
  /** How the service is called: its default address unless configured otherwise, credentials, TLS. */
  readonly service: PolicyBackend
  /** Default: the timeout of the service. */
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
  /** For requests only. */
  readonly detectJailbreak?: { readonly apiVersion: string }
}
