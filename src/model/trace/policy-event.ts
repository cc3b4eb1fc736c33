import type { A2aAttributes } from '../exchange/a2a-attributes.ts'
import type { JsonValue } from '../json-value.ts'
import type { LlmCost } from '../llm/llm-attributes.ts'
import type { McpStep } from '../mcp/mcp-step.ts'

/** An event of a policy or a backend besides its verdict, by `kind`. */
export type PolicyEvent =
  | Event<'mcp', McpStep>
  | Event<'a2a', A2aOutcome>
  | Event<'guardrail', GuardrailCheck>
  | Event<'llm_cost', LlmCostEvent>
  | Event<'llm_unknown_price', { readonly provider: string; readonly model?: string | undefined }>
  /** As text: what failed, what was done instead, what is redacted. */
  | Event<'backend_auth' | 'cel' | 'llm_failover' | 'retry' | 'transformation', string>
  /** Operators outside of this package: their kinds contain a dot, such as `acme.quota`. */
  | Event<`${string}.${string}`, JsonValue>

interface Event<Kind extends string, Details> {
  readonly type: 'policyEvent'
  readonly kind: Kind
  readonly details: Details
}

/** How a call to an A2A agent ended. */
export type A2aOutcome = {
  readonly [Name in 'outcome' | 'errorCode' | 'kind' | 'taskState' | 'contextId']?: A2aAttributes[Name]
}

/** A guard's check of a prompt or a response, without the text itself. */
export interface GuardrailCheck {
  readonly guard: string
  readonly phase: 'request' | 'response'
  readonly action: 'Allow' | 'Mask' | 'Reject' | 'FailOpen' | 'FailClosed'
  /** Microseconds. */
  readonly tookUs: number
  readonly reason?: string
}

/** The cost of an attempt, or why it is unknown. */
export interface LlmCostEvent {
  readonly provider: string
  readonly model?: string | undefined
  readonly status: 'exact' | 'unpriced' | 'missing' | 'noCatalog'
  readonly reason?: string
  /** US dollars. */
  readonly cost?: LlmCost
}
