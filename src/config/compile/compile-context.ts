import type { LlmSettings } from '../../model/llm/llm-backend.ts'
import type { BackendStages, Rescuer } from '../../gateway.ts'
import type { Insertion } from '../../insert-stages.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'
import type { ResourceLookup } from '../../model/resources/resource-index.ts'
import type { Resources } from '../../model/resources/resources.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import type { GuardCheck } from '../../operators/llm/guardrails/guard.ts'
import type { Keyring } from '../../protocols/seal/aead-keyring.ts'
import type { Dependencies } from '../../upstream/dependency-status.ts'
import type { HttpCallout } from '../../upstream/http-callout.ts'
import type { McpRuntime } from '../../upstream/mcp/mcp-runtime.ts'
import type { RegistryTransaction } from '../../upstream/registry-transaction.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import type { LlmContentReads } from '../../operators/llm/stage/captured-content.ts'

/** The kind of a callout, as in metrics. */
export type PolicyCallKind =
  'ExtAuthz' | 'ExtProc' | 'EndpointPicker' | 'Guardrail' | 'RateLimit' | 'Oidc' | 'Http'

/** The settings of a configuration that belong to no single resource. */
export type UnownedSettings = Pick<Resources, 'frontend' | 'functions' | 'location' | keyof LlmSettings>

/** Dependencies of compiling besides the resources. */
export interface CompileContext {
  /** Makes upstreams, which outlast the snapshot. */
  readonly session: RegistryTransaction
  /** What concerns every part of the configuration: a change of it compiles everything again. */
  readonly resources: UnownedSettings
  /** Finds the other resources, with policies merged. What is found here is what the compiled part depends on. */
  readonly lookup: ResourceLookup
  /** Whether any listener or route of the configuration has a login. */
  readonly hasLogins: boolean
  /** Compiles an expression; each text is parsed once. The resources have been validated, so that it parses. */
  readonly expression: (text: Cel) => Evaluate
  /** The parts of MCP messages that the compiled expressions read. These messages are parsed before. */
  readonly mcpIsKnown?: boolean
  /** The parts of conversations that expressions read. Complete only once everything has been compiled. */
  readonly llmReads: LlmContentReads
  /**
   * Compiles a callout over HTTP. Credentials get it from here instead of importing it: a callout may need a token, and
   * the token a callout of its own.
   */
  readonly httpCallout: (service: PolicyBackend, kind: PolicyCallKind, context: CompileContext) => HttpCallout
  /** Turns faults into replies. */
  readonly rescuer: Rescuer
  /** 0 ≤ number < 1, for weights, mirrors and balancing. */
  readonly random: () => number
  /** Status of the gateway's dependencies. */
  readonly dependencies: Dependencies
  /** Encrypts data that clients keep for the gateway. */
  readonly sealing: () => Keyring
  /** Dependencies of MCP servers on this process. */
  readonly mcp: McpRuntime
  /** The admin interface of this process as an upstream. Throws if there is none. */
  readonly internal: (labels: BackendLabels) => HttpUpstream
  /** Called for each evicted cache entry, with the kind of the cache. */
  readonly evicted: (cache: string) => void
  /** Called with the duration of each callout, to its response or failure. */
  readonly called: (kind: PolicyCallKind, seconds: number) => void
  /** Called for each check of a guard. */
  readonly guardChecked: (checked: GuardCheck, requestId: number) => void
  /** Operators that a program inserts between the stages. */
  readonly insertions: readonly Insertion[]
  /** Adds inserted stages to the stages of a route's backend. Absent for backends behind such a backend. */
  readonly insertIntoBackend?: ((stages: BackendStages) => BackendStages) | undefined
}
