import type { McpGuardrails } from './schema.ts'
import type { McpGuards } from './mcp-guardrails.ts'
import { ConcurrencyLimit } from '../../concurrency-limit.ts'
import { callService } from '../../callout/stage/grpc-callout.ts'
import { grpcOperators } from '../../../config/compile/lazy-grpc.ts'
import { callTimeoutMs } from '../../callout/stage/service-policies.ts'
import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** Makes what asks services about MCP messages; undefined if there are none. */
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

/** How long a service may think, unless its policies say something else: some ask a language model. */
const TIME_OUT_MS = 10_000
/** How many messages may wait for one service. */
const WAITING_LIMIT = 1_024
