import type { EnvAttributes } from '../cel/context/context.ts'
import { functionsOf } from '../cel/custom/functions-of.ts'
import { defaultSensitiveHeaders } from '../cel/context/headers-view.ts'
import type { Rescuer } from '../gateway.ts'
import type { Insertion } from '../insert-stages.ts'
import type { Resources } from '../model/resources/resources.ts'
import type { BackendLabels, Snapshot } from '../model/resources/snapshot.ts'
import type { GuardCheck } from '../operators/llm/guardrails/guard.ts'
import { Keyring } from '../protocols/seal/aead-keyring.ts'
import { Dependencies } from '../upstream/dependency-status.ts'
import { type McpRuntime, mcpRuntime } from '../upstream/mcp/mcp-runtime.ts'
import type { Registry } from '../upstream/registry.ts'
import type { HttpUpstream } from '../upstream/upstream.ts'
import { compileBind } from './compile/bind.ts'
import { expressions, keyExpression } from './compile/expressions.ts'
import { compileHttpCallout } from '../operators/callout/stage/http-callout.ts'
import { LlmContentReads } from '../operators/llm/stage/captured-content.ts'
import type { PolicyCallKind, CompileContext } from './compile/compile-context.ts'
import { mergePolicies } from './merge-policies.ts'

/** What is to be compiled. */
export interface Compilable {
  readonly resources: Resources
  readonly hash: string
}

/** What compiling takes from the rest of the process. */
export interface CompileTools {
  /** Where pools and balancers live; they outlast the snapshot. */
  readonly registry: Registry
  /** Turns faults into replies. */
  readonly rescuer: Rescuer
  /** Environment of this process, for expressions. */
  readonly env?: EnvAttributes
  /** Names of headers that carry credentials, beyond the usual ones. */
  readonly sensitiveHeaders?: readonly string[]
  /** Receives the status of dependencies, such as key sets. */
  readonly dependencies?: Dependencies
  /** Seals sessions that clients keep; by default with a random key. */
  readonly sealing?: () => Keyring
  /** MCP state of the process; by default new, without a log. */
  readonly mcp?: McpRuntime
  /** The admin interface of this process as an upstream. Without it, `internal` backends cannot be compiled. */
  readonly internal?: (labels: BackendLabels) => HttpUpstream
  /** Expressions of the access log and the metrics, evaluated at the end of exchanges. */
  readonly observed?: readonly string[]
  /** Called for each entry that a full cache evicts. */
  readonly evicted?: (cache: string) => void
  /** Called at the end of each callout, with its duration. */
  readonly policyCalled?: (kind: PolicyCallKind, seconds: number) => void
  /** Called after each check of a guard. */
  readonly guardChecked?: (checked: GuardCheck, requestId: number) => void
  /** Operators of a program, between the stages. */
  readonly insertions?: readonly Insertion[]
}

/**
 * Makes a snapshot of resources: it parses expressions, indexes matchers and makes operators of policies, so that
 * none of it happens per request.
 *
 * The registry counts the snapshot as the one in force from now on.
 *
 * @throws CelError for an expression that does not parse; resources that came from a checked file have none.
 * @throws TypeError for an `internal` backend of a route where the tools have no admin interface.
 */
export const compileConfiguration = ({ resources, hash }: Compilable, tools: CompileTools): Snapshot => {
  const merged = mergePolicies(resources)
  const named = (tools.sensitiveHeaders ?? []).map((name) => name.toLowerCase())
  const llmReads = new LlmContentReads()
  const expression = expressions(
    { env: tools.env, sensitiveHeaders: new Set([...defaultSensitiveHeaders, ...named]) },
    functionsOf(merged.functions),
    (needs) => {
      llmReads.note(needs)
    },
  )
  // Compiled for what they read only: the log and the metrics compile them again.
  for (const text of [...observedIn(merged), ...(tools.observed ?? [])]) expression(text)
  const session = tools.registry.session(merged, expression, (text) => keyExpression(expression(text)))
  try {
    const context: CompileContext = {
      session,
      resources: merged,
      expression,
      llmReads,
      httpCallout: compileHttpCallout,
      rescuer: tools.rescuer,
      random: Math.random,
      dependencies: tools.dependencies ?? new Dependencies(),
      sealing: tools.sealing ?? (() => Keyring.of([])),
      mcp: tools.mcp ?? mcpRuntime(),
      internal: tools.internal ?? noAdmin,
      evicted: tools.evicted ?? (() => undefined),
      called: tools.policyCalled ?? (() => undefined),
      guardChecked: tools.guardChecked ?? (() => undefined),
      insertions: tools.insertions ?? [],
    }
    const binds = merged.binds.map((bind) => [bind.key, compileBind(bind, context)] as const)
    const snapshot = { hash, resources: merged, binds: new Map(binds), exchanges: 0 }
    session.commit(snapshot)
    return snapshot
  } catch (error) {
    session.discard()
    throw error
  }
}

const noAdmin = ({ name }: BackendLabels): never => {
  throw new TypeError(`backend ${name} is internal, and there is no admin interface here to answer it`)
}

/** The expressions of the access log. */
const observedIn = ({ frontend: { accessLog } }: Resources): readonly string[] => [
  ...(accessLog?.filter === undefined ? [] : [accessLog.filter]),
  ...(accessLog?.add ?? []).map(([, value]) => value),
]
