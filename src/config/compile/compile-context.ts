import type { BackendStages, Rescuer } from '../../gateway.ts'
import type { Insertion } from '../../insert-stages.ts'
import type { Evaluate } from '../../model/exchange/expression.ts'
import type { PolicyBackend } from '../../model/policies/policy-backend.ts'
import type { Cel } from '../../model/resources/policies.ts'
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

/** What a policy calls a service for, as metrics name it. */
export type PolicyCallKind = 'ExtAuthz' | 'ExtProc' | 'Guardrail' | 'RateLimit' | 'Oidc' | 'Http'

/** What compiling needs besides the resources. */
export interface CompileContext {
  /** Makes upstreams: things that have a life of their own. */
  readonly session: RegistryTransaction
  /** Everything there is, with policies merged. */
  readonly resources: Resources
  /** An expression, parsed once; the resources have been checked, so that it does parse. */
  readonly expression: (text: Cel) => Evaluate
  /** Whatever of MCP its expressions read, the messages are read before. */
  readonly mcpIsKnown?: boolean
  /** What expressions read of conversations; not all of it is known before everything has been compiled. */
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
  /** Where it is said how it stands with what the gateway depends on. */
  readonly dependencies: Dependencies
  /** Seals what clients keep for the gateway. */
  readonly sealing: () => Keyring
  /** What MCP servers need of this process. */
  readonly mcp: McpRuntime
  /** The admin interface of this process as an upstream. Throws where there is none. */
  readonly internal: (labels: BackendLabels) => HttpUpstream
  /** Told whenever something remembered had to make room, by what kind of thing. */
  readonly evicted: (cache: string) => void
  /** Told how long each call of a policy's service took, to its answer or its failure. */
  readonly called: (kind: PolicyCallKind, seconds: number) => void
  /** Told of each check of a guard. */
  readonly guardChecked: (checked: GuardCheck, requestId: number) => void
  /** Operators of a program between the stages. */
  readonly insertions: readonly Insertion[]
  /** Adds to the stages of a route's backend what is inserted there. Absent for backends behind such a backend. */
  readonly insertIntoBackend?: ((stages: BackendStages) => BackendStages) | undefined
}
