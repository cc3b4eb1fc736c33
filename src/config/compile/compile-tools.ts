import type { EnvAttributes } from '../../cel/context/context.ts'
import type { Rescuer } from '../../gateway.ts'
import type { Insertion } from '../../insert-stages.ts'
import type { BackendLabels } from '../../model/resources/snapshot.ts'
import type { GuardCheck } from '../../operators/llm/guardrails/guard.ts'
import type { Keyring } from '../../protocols/seal/aead-keyring.ts'
import type { Dependencies } from '../../upstream/dependency-status.ts'
import type { McpRuntime } from '../../upstream/mcp/mcp-runtime.ts'
import type { Registry } from '../../upstream/registry.ts'
import type { HttpUpstream } from '../../upstream/upstream.ts'
import type { PolicyCallKind } from './compile-context.ts'

/** Dependencies of compiling on the rest of the process. */
export interface CompileTools {
  /** Owns pools and balancers, which outlast the snapshot. */
  readonly registry: Registry
  /** Turns faults into replies. */
  readonly rescuer: Rescuer
  /** Attributes of this process for expressions. */
  readonly env?: EnvAttributes
  /** Additional names of headers that carry credentials. */
  readonly sensitiveHeaders?: readonly string[]
  /** Status of the gateway's dependencies. */
  readonly dependencies?: Dependencies
  /** Encrypts data that clients keep for the gateway. Default: a random key. */
  readonly sealing?: () => Keyring
  /** Dependencies of MCP servers on this process. Default: own child processes and no log. */
  readonly mcp?: McpRuntime
  /** The admin interface of this process as an upstream. Without it, `internal` backends cannot be compiled. */
  readonly internal?: (labels: BackendLabels) => HttpUpstream
  /** Expressions of the process that are evaluated at the end of exchanges. */
  readonly observed?: readonly string[]
  /** Called for each evicted cache entry, with the kind of the cache. */
  readonly evicted?: (cache: string) => void
  /** Called with the duration of each callout, to its response or failure. */
  readonly policyCalled?: (kind: PolicyCallKind, seconds: number) => void
  /** Called for each check of a guard. */
  readonly guardChecked?: (checked: GuardCheck, requestId: number) => void
  /** Operators that a program inserts between the stages. */
  readonly insertions?: readonly Insertion[]
}
