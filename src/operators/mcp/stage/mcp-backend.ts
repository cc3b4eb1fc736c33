import type { Exchange } from '../../../model/exchange/exchange.ts'
import type { Authorization } from '../../authorization/schema.ts'
import type { McpBackend, McpTarget } from '../../../model/mcp/mcp-backend.ts'
import type { McpGuardrails } from '../guardrails/schema.ts'
import { assembleMcp, type AssembledMcp } from '../assemble.ts'
import { compiledRules } from '../../authorization/stage.ts'
import { compileMcpGuards } from '../guardrails/stage.ts'
import { compileMcpTarget, type Reach } from './mcp-target.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** The parts of an MCP backend for compiling. */
export interface McpParts {
  readonly key: string
  readonly backend: McpBackend
  readonly rules: Authorization | undefined
  readonly guardrails: McpGuardrails | undefined
}

/** Compiles an MCP backend. Its state outlasts the configuration. */
export const compileMcpBackend = (
  { key, backend, rules, guardrails }: McpParts,
  context: CompileContext,
  reach: Reach,
): AssembledMcp => {
  const { session, mcp, resources } = context
  return assembleMcp({
    name: key,
    targets: backend.targets.map((target: McpTarget) => compileMcpTarget(key, target, context, reach)),
    settings: backend,
    rules: compiledRules(rules?.rules ?? [], { ...context, mcpIsKnown: true }),
    guards: compileMcpGuards(guardrails, context),
    runtime: mcp,
    ring: context.sealing(),
    keep: (name, make) => session.keep(name, make),
    replicas: () => session.replicas(),
    limitBytes: resources.frontend.http.maxBufferBytes,
    isGuarded: guarded(backend.dnsRebindingProtection),
  })
}

/** By default where only this machine can connect: there, DNS rebinding is the risk. */
const guarded =
  (setting: boolean | undefined) =>
  ({ snapshot, labels }: Exchange): boolean =>
    setting ?? isLoopback(snapshot.binds.get(labels.bind)?.resource.address ?? '')

const isLoopback = (address: string): boolean =>
  address === '::1' || address.startsWith('127.') || address.startsWith('::ffff:127.')
