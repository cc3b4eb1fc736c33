import type { McpGuardrails } from '../../model/mcp-guardrails.ts'
import type { McpGuards } from '../../operators/mcp-guardrails.ts'
import { Turnstile } from '../../operators/turnstile.ts'
import { callService } from './call-service.ts'
import { grpcOperators } from './grpc-operators.ts'
import type { Workshop } from './workshop.ts'

/** Makes what asks services about MCP messages; undefined if there are none. */
export const compileMcpGuards = (
  policy: McpGuardrails | undefined,
  workshop: Workshop,
): McpGuards | undefined =>
  policy &&
  grpcOperators.mcpGuardrails().mcpGuards(
    policy.processors.map(({ service, metadata, ...rest }) => ({
      ...rest,
      service: callService(service, 'Guardrail', workshop),
      timeoutMs: service.policies.http?.requestTimeoutMs ?? TIME_OUT_MS,
      turnstile: new Turnstile(WAITING_LIMIT),
      metadata: metadata.map(([key, value]) => [key, workshop.expression(value)] as const),
    })),
  )

/** How long a service may think, unless its policies say something else: some ask a language model. */
const TIME_OUT_MS = 10_000
/** How many messages may wait for one service. */
const WAITING_LIMIT = 1_024
