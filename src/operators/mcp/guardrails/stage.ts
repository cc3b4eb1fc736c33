import type { McpGuardrails } from './schema.ts'
import type { McpGuards } from './mcp-guardrails.ts'
import { ConcurrencyLimit } from '../../concurrency-limit.ts'
import { callService } from '../../callout/stage/grpc-callout.ts'
import { grpcOperators } from '../../../config/compile/lazy-grpc.ts'
import { callTimeoutMs } from '../../callout/stage/callout-policies.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Compiles the guardrails of MCP messages; undefined if there are none. */
export const compileMcpGuards = (
  policy: McpGuardrails | undefined,
  context: CompileContext,
): McpGuards | undefined =>
  policy &&
  grpcOperators.mcpGuardrails().mcpGuards(
    policy.processors.map(({ service, metadata, ...rest }) => ({
      ...rest,
      service: callService(service, 'Guardrail', context),
      timeoutMs: callTimeoutMs(service, context, TIME_OUT_MS),
      limit: new ConcurrencyLimit(WAITING_LIMIT),
      metadata: metadata.map(([key, value]) => [key, context.expression(value)] as const),
    })),
  )

/** Timeout of a callout, unless its policies set one: some services call a language model. */
const TIME_OUT_MS = 10_000
/** Limit of messages that are pending for one service. */
const WAITING_LIMIT = 1_024
