import type { Rescuer } from '../../gateway.ts'
import type { Evaluate } from '../../model/evaluate.ts'
import type { Cel } from '../../model/policies.ts'
import type { Resources } from '../../model/resources.ts'
import type { SealRing } from '../../protocols/seal/seal-ring.ts'
import type { Dependencies } from '../../upstream/dependencies.ts'
import type { ChildCount } from '../../upstream/mcp/child-count.ts'
import type { StdioBackoff } from '../../upstream/mcp/stdio-backoff.ts'
import type { StdioLine } from '../../upstream/mcp/stdio-log.ts'
import type { RegistrySession } from '../../upstream/registry-session.ts'

/** What MCP servers need of the process that they are reached from. */
export interface McpWorkplace {
  readonly children: ChildCount
  readonly backoff: StdioBackoff
  /** Takes what servers write where no protocol is. */
  readonly log: (line: StdioLine) => void
  /** The name of this process among its replicas. */
  readonly replica: string
  /** Of the gateway. */
  readonly version: string
  /** Sessions that lie idle longer than this end. */
  readonly sessionTtlMs: number
}

/** What compiling needs besides the resources. */
export interface Workshop {
  /** Makes upstreams: things that have a life of their own. */
  readonly session: RegistrySession
  /** Everything there is, with policies merged. */
  readonly resources: Resources
  /** An expression, parsed once; the resources have been checked, so that it does parse. */
  readonly expression: (text: Cel) => Evaluate
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
}
