import type { McpFacts, McpObjectFacts, McpToolFacts } from '../model/mcp-facts.ts'
import { dynamic } from './dynamic-field.ts'
import { type Field, nested, record, text } from './record.ts'

const named = (what: string): Record<keyof McpObjectFacts, Field<McpObjectFacts>> => ({
  target: text('The target it belongs to.', (o) => o.target),
  name: text(`Name of the ${what}, as the target has it.`, (o) => o.name),
})

const tool = record<McpToolFacts>('McpTool', {
  ...named('tool'),
  arguments: dynamic('Arguments of the call.', (t) => t.arguments),
  result: dynamic('Result of the call; absent before.', (t) => t.result),
  error: dynamic('Error of the call; absent before, and if it went well.', (t) => t.error),
})

const prompt = record<McpObjectFacts>('McpPrompt', named('prompt'))
const resource = record<McpObjectFacts>('McpResource', named('resource'))
const task = record<McpObjectFacts>('McpTask', named('task'))

/** An MCP call. */
export const mcpRecord = record<McpFacts>('Mcp', {
  methodName: text('JSON-RPC method, such as `tools/call`.', (m) => m.methodName),
  method: text('The same.', (m) => m.methodName),
  sessionId: text('The session.', (m) => m.sessionId),
  tool: nested(tool, 'The tool that is called.', (m) => m.tool),
  prompt: nested(prompt, 'The prompt that is asked for.', (m) => m.prompt),
  resource: nested(resource, 'The resource that is asked for.', (m) => m.resource),
  task: nested(task, 'The task that is asked for.', (m) => m.task),
})

/** Record types of this variable, the nested ones first. */
export const mcpRecordTypes = [tool, prompt, resource, task, mcpRecord] as const
