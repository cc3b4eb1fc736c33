import type { EnvAttributes } from '../cel/context/context.ts'
import { functionsOf } from '../cel/custom/functions-of.ts'
import { defaultSensitiveHeaders } from '../cel/context/headers-view.ts'
import type { Rescuer } from '../gateway.ts'
import type { Insertion } from '../insert-stages.ts'
import type { PayloadLog } from '../model/resources/frontend-policies.ts'
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
import { gatewayExchange } from '../operators/otlp/gateway-exchange.ts'
import { collectors, tracingStage } from '../operators/otlp/stage.ts'
import { LlmContentReads } from '../operators/llm/stage/captured-content.ts'
import type { PolicyCallKind, CompileContext } from './compile/compile-context.ts'
import { mergePolicies } from './merge-policies.ts'

/** The input of compiling. */
export interface Compilable {
  readonly resources: Resources
  readonly hash: string
}

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

/**
 * Compiles resources to a snapshot: parses every expression, indexes every matcher, makes an operator of every
 * policy. None of this is repeated per request.
 *
 * From then on the registry counts the snapshot as the active one.
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
    (references) => {
      llmReads.add(references)
    },
  )
  // Compiled only to record what they read; their users compile them again.
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
    const snapshot: Snapshot = {
      hash,
      resources: merged,
      binds: new Map(binds),
      exchanges: 0,
      tracing: tracingStage(context),
      collectors: collectors(context, () => gatewayExchange(snapshot)),
    }
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

/** The expressions of access logs and traces. */
const observedIn = ({ frontend: { accessLog, tracing } }: Resources): readonly string[] => [
  ...rulesOf(accessLog?.filter, accessLog?.add),
  ...(typeof accessLog?.sampling?.share === 'string' ? [accessLog.sampling.share] : []),
  ...payloadExpressions(accessLog?.payloads),
  ...rulesOf(accessLog?.otlp?.filter, accessLog?.otlp?.add),
  ...rulesOf(tracing?.filter, tracing?.attributes),
]

const payloadExpressions = (payloads: PayloadLog | undefined): readonly string[] =>
  payloads
    ? [
        payloads.prompt,
        payloads.completion,
        payloads.toolCalls,
        ...(payloads.filter === undefined ? [] : [payloads.filter]),
      ]
    : []

const rulesOf = (
  filter: string | undefined,
  added: readonly (readonly [name: string, value: string])[] = [],
): readonly string[] => [...(filter === undefined ? [] : [filter]), ...added.map(([, value]) => value)]
