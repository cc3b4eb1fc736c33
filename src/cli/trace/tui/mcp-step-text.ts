import type { McpStep } from '../../../model/mcp/mcp-step.ts'

/** The fields of a step of an MCP request on one line, such as `target=shop method=tools/call`. */
export const mcpStepText = (step: McpStep): string =>
  Object.entries(step)
    .filter(([name, value]) => name !== 'step' && value !== null)
    .map(([name, value]) => `${name}=${String(value)}`)
    .join(' ')
