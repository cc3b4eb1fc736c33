import type { Rescuer } from '../../gateway.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Cel } from '../../model/policies.ts'
import type { Resources } from '../../model/resources.ts'
import type { Checked } from '../../operators/guard/guards.ts'
import type { SealRing } from '../../protocols/seal/seal-ring.ts'
import type { Dependencies } from '../../upstream/dependencies.ts'
import type { McpWorkplace } from '../../upstream/mcp/workplace.ts'
import type { RegistrySession } from '../../upstream/registry-session.ts'
import type { LlmReads } from './llm-reads.ts'

/** What a policy calls a service for, as metrics name it. */
export type PolicyCallKind = 'ExtAuthz' | 'ExtProc' | 'Guardrail' | 'RateLimit' | 'Oidc' | 'Http'

/** What compiling needs besides the resources. */
export interface Workshop {
  /** Makes upstreams: things that have a life of their own. */
  readonly session: RegistrySession
  /** Everything there is, with policies merged. */
  readonly resources: Resources
  /** An expression, parsed once; the resources have been checked, so that it does parse. */
  readonly expression: (text: Cel) => Evaluate
  /** What expressions read of conversations; not all of it is known before everything has been compiled. */
  readonly llmReads: LlmReads
  /** Turns faults into replies. */
  readonly rescuer: Rescuer
  /** 0 ≤ number < 1, for weights, mirrors and balancing. */
  readonly random: () => number
  /** Where it is said how it stands with what the gateway depends on. */
  readonly dependencies: Dependencies
  /** Seals what clients keep for the gateway. */
  readonly sealing: () => SealRing
  /** What MCP servers need of this process. */
  readonly mcp: McpWorkplace
  /** Told whenever something remembered had to make room, by what kind of thing. */
  readonly evicted: (cache: string) => void
  /** Told how long each call of a policy's service took, to its answer or its failure. */
  readonly called: (kind: PolicyCallKind, seconds: number) => void
  /** Told of each check of a guard. */
  readonly guardChecked: (checked: Checked, requestId: number) => void
}
