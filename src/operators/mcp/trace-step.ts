import type { Exchange } from '../../model/exchange/exchange.ts'
import type { McpStep } from '../../model/mcp/mcp-step.ts'

export type { McpStep }

/**
 * Adds a step to the trace of an observed exchange. Where making the step is expensive, check the probe first.
 *
 * @param began From `probe.now()`, for steps with a duration.
 */
export const traceStep = ({ probe }: Exchange, step: McpStep, began?: number): void => {
  probe?.record({ type: 'policyEvent', kind: 'mcp', details: step }, began)
}
