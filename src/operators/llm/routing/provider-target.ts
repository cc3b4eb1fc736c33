import type { Evaluate } from '../../../model/exchange/expression.ts'
import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { Provider } from '../../../protocols/llm/providers/provider.ts'
import type { Eviction, EndpointHealth } from '../../../upstream/load-balancing/outlier-detection.ts'
import type { Guards } from '../guardrails/guard.ts'
import type { MutateFields } from '../provider-request/mutate-body.ts'

/** A provider as requests meet it. */
export interface ProviderTarget {
  readonly provider: LlmProvider
  readonly service: Provider
  /** The way to it: its credentials, its headers, the call. */
  readonly pipeline: Operator
  /** Outlasts configurations. */
  readonly health: EndpointHealth
  /** Hash of its name. */
  readonly seed: number
  readonly eviction: Eviction
  /** The configuration says nothing about eviction. */
  readonly usesUsualEviction: boolean
  /** Whether an answer counts against it; undefined: by its status. */
  readonly unhealthy: Evaluate | undefined
  /** What the configuration does to the fields of the client's body; undefined: nothing. */
  readonly mutate: MutateFields | undefined
  /** What it does to those of the provider's. */
  readonly finalTransformation: readonly FieldExpression[]
  /** Who looks at what it is asked and what it says; undefined: nobody. */
  readonly guards: Guards | undefined
  /** What clients show the gateway, the provider gets to see. */
  readonly passesCredentials: boolean
}

/** A field of the body, and what gives it. */
export type FieldExpression = readonly [field: string, expression: Evaluate]

/** One place to ask, and for which model, if that has been decided. */
export interface Option {
  readonly candidate: ProviderTarget
  /** In place of what the client asked for. */
  readonly model: string | undefined
}

/** Places to ask in order of preference; those of one group are equals. */
export type OptionGroups = readonly (readonly Option[])[]
