import type { Cel } from '../../../../model/resources/policies.ts'
import type { PolicyBackend } from '../../../../model/policies/policy-backend.ts'

/** Guardrails for requests to language models and for their responses. */
export interface LlmGuards {
  /** In this order; the first one that rejects ends the check. */
  readonly request: readonly RequestGuard[]
  readonly response: readonly ResponseGuard[]
  readonly streaming: GuardStreaming
}

/**
 * Checking of streamed responses: buffered, checked as a whole and replayed (`Buffer`), checked in windows
 * (`Enabled`), or not checked (`Disabled`).
 */
export type GuardStreaming =
  | { readonly mode: 'Buffer' | 'Disabled' }
  | {
      readonly mode: 'Enabled'
      /** Window size, in bytes of UTF-8. */
      readonly windowBytes: number
      /** Bytes of the previous window that are checked again, for matches across the boundary. */
      readonly overlapBytes: number
    }

/** A guard for requests. */
export interface RequestGuard {
  readonly kind: RequestGuardKind
  readonly rejection: GuardRejection
  readonly scopes: ReadonlySet<TextScope>
}

/** A guard for responses. */
export interface ResponseGuard {
  readonly kind: ResponseGuardKind
  readonly rejection: GuardRejection
}

/** The part of a conversation that contains a text. Output of the model is `messages` and `toolInput`. */
export type TextScope = 'systemPrompt' | 'messages' | 'toolOutput' | 'toolInput'

/** Reply for rejected requests and responses. */
export interface GuardRejection {
  readonly status: number
  readonly body: string
  readonly headers: {
    readonly add: readonly (readonly [name: string, value: string])[]
    readonly set: readonly (readonly [name: string, value: string])[]
    readonly remove: readonly string[]
  }
}

/** Kinds of guards for requests. */
export type RequestGuardKind =
  RegexGuard | WebhookGuard | OpenAiModeration | BedrockGuardrails | ModelArmor | ContentSafety | InvalidGuard

/** Kinds of guards for responses. */
export type ResponseGuardKind = Exclude<RequestGuardKind, OpenAiModeration>

/** Detects texts by regular expressions. */
export interface RegexGuard {
  readonly type: 'regex'
  readonly action: 'mask' | 'reject'
  /** Each applies to the result of the previous one. */
  readonly rules: readonly RegexRule[]
}

/** A built-in pattern or a regular expression. */
export type RegexRule =
  | { readonly builtin: 'creditCard'; readonly luhn: boolean }
  | { readonly builtin: 'ssn' | 'phoneNumber' | 'email' | 'caSin' }
  /** RE2 syntax. */
  | { readonly pattern: string }

/** Calls a webhook of the user. */
export interface WebhookGuard {
  readonly type: 'webhook'
  readonly service: PolicyBackend
  /** Name, lower-case, or `:path`, `:method`, `:authority` → expression over the client's request. */
  readonly headers: readonly (readonly [name: string, value: Cel])[]
  /** Headers to forward to the service: of the client's request, or of the provider's response. */
  readonly forwardHeaders: readonly ForwardedHeader[]
  readonly failureMode: 'failClosed' | 'failOpen'
  /** Default: the timeout of the service. */
  readonly timeoutMs?: number
}

/** A header that is forwarded if its value equals this text or matches this pattern (RE2 syntax). */
export interface ForwardedHeader {
  /** Lower-case. */
  readonly name: string
  readonly value: { readonly exact: string } | { readonly regex: string }
}

/** Common fields of cloud services. */
interface CloudGuard {
  /** Connection to the service: its address unless configured otherwise, credentials, TLS. */
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

/** A guard that cannot be used. It has no verdict, so nothing passes that it would check. */
export interface InvalidGuard {
  readonly type: 'invalid'
  readonly reason: string
}
