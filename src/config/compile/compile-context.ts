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

/** The purpose of a callout, as metrics name it. */
export type PolicyCallKind = 'ExtAuthz' | 'ExtProc' | 'Guardrail' | 'RateLimit' | 'Oidc' | 'Http'

/** What compiling a configuration needs. */
export interface CompileContext {
  /** Makes upstreams, and objects that outlive the snapshot. */
  readonly session: RegistryTransaction
  /** All resources, with merged policies. */
  readonly resources: Resources
  /** Compiles an expression, once for each text. Checked resources have no invalid expressions. */
  readonly expression: (text: Cel) => Evaluate
  /** Whether MCP messages are parsed before the policies that read them. */
  readonly mcpIsKnown?: boolean
  /** What expressions read of prompts and completions. Complete when everything has been compiled. */
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
  /** Receives the status of dependencies, such as key sets. */
  readonly dependencies: Dependencies
  /** Seals sessions that clients keep. */
  readonly sealing: () => Keyring
  /** MCP state of the process. */
  readonly mcp: McpRuntime
  /** The admin interface of this process as an upstream. Throws where there is none. */
  readonly internal: (labels: BackendLabels) => HttpUpstream
  /** Called for each entry that a full cache evicts. */
  readonly evicted: (cache: string) => void
  /** Called at the end of each callout, with its duration. */
  readonly called: (kind: PolicyCallKind, seconds: number) => void
  /** Called after each check of a guard. */
  readonly guardChecked: (checked: GuardCheck, requestId: number) => void
  /** Operators of a program, between the stages. */
  readonly insertions: readonly Insertion[]
  /** Adds the insertions to the stages of a backend of a route. Absent for MCP servers and model providers behind it. */
  readonly insertIntoBackend?: ((stages: BackendStages) => BackendStages) | undefined
}
