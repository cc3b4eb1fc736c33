import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Members } from '../../../protocols/llm/members/members.ts'
import type { Evaluate } from '../../../model/exchange/expression.ts'
import type { LlmProvider } from '../../../model/llm/llm-backend.ts'
import type { Operator } from '../../../pipeline/stage.ts'
import type { Provider } from '../../../protocols/llm/providers/provider.ts'
import type { Eviction, EndpointHealth } from '../../../upstream/load-balancing/outlier-detection.ts'
import type { CallCounts } from '../../../upstream/load-balancing/call-counts.ts'
import type { Guards } from '../guardrails/guard.ts'

/** Changes the fields of a client's body, in the client's format. */
export type MutateFields = (body: Members, x: Exchange) => void

/** A provider with what its requests need. */
export interface ProviderTarget {
  readonly provider: LlmProvider
  readonly service: Provider
  /** The stages of a call: credentials, headers, the call itself. */
  readonly pipeline: Operator
  /** Outlasts configurations. */
  readonly health: EndpointHealth
  /** Of its calls; outlasts configurations too. */
  readonly counts: CallCounts
  /** Hash of its name. */
  readonly seed: number
  readonly eviction: Eviction
  /** The configuration says nothing about eviction. */
  readonly usesUsualEviction: boolean
  /** Whether a response counts as a failure; undefined: by its status. */
  readonly unhealthy: Evaluate | undefined
  /** Mutates fields of the client's body; undefined: nothing. */
  readonly mutate: MutateFields | undefined
  /** Transforms fields of the provider's body. */
  readonly finalTransformation: readonly FieldExpression[]
  /** The guards of requests and responses; undefined: none. */
  readonly guards: Guards | undefined
  /** Whether the client's credentials are passed on to the provider. */
  readonly passesCredentials: boolean
}

/** A field of a body, and the expression for its value. */
export type FieldExpression = readonly [field: string, expression: Evaluate]

/** A provider, with the model to request from it if that is decided. */
export interface Option {
  readonly candidate: ProviderTarget
  /** Replaces the client's model. */
  readonly model: string | undefined
}

/** Targets in order of preference; those of one group are equals. */
export type OptionGroups = readonly (readonly Option[])[]
