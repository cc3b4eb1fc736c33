import type { McpAttributes, McpObjectAttributes, McpToolAttributes } from '../../model/mcp/mcp-attributes.ts'
import { callersOwn, dynamic } from './dynamic-field.ts'
import { type Field, nested, celRecordOf, textField } from './record.ts'

const named = (what: string): Record<keyof McpObjectAttributes, Field<McpObjectAttributes>> => ({
  target: textField('The target it belongs to.', (o) => o.target),
  name: textField(`Name of the ${what}, as the target has it.`, (o) => o.name),
})

const tool = celRecordOf<McpToolAttributes>('McpTool', {
  ...named('tool'),
  arguments: callersOwn('Arguments of the call.', (t) => t.arguments),
  result: dynamic('Result of the call; absent before.', (t) => t.result),
  error: dynamic('Error of the call; absent before, and if it went well.', (t) => t.error),
})

const prompt = celRecordOf<McpObjectAttributes>('McpPrompt', named('prompt'))
const resource = celRecordOf<McpObjectAttributes>('McpResource', named('resource'))
const task = celRecordOf<McpObjectAttributes>('McpTask', named('task'))

/** An MCP call. */
export const mcpRecord = celRecordOf<McpAttributes>('Mcp', {
  methodName: textField('JSON-RPC method, such as `tools/call`.', (m) => m.methodName),
  method: textField('The same.', (m) => m.methodName),
  sessionId: textField('The session.', (m) => m.sessionId),
  tool: nested(tool, 'The tool that is called.', (m) => m.tool),
  prompt: nested(prompt, 'The prompt that is asked for.', (m) => m.prompt),
  resource: nested(resource, 'The resource that is asked for.', (m) => m.resource),
  task: nested(task, 'The task that is asked for.', (m) => m.task),
})

/** Record types of this variable, the nested ones first. */
export const mcpRecordTypes = [tool, prompt, resource, task, mcpRecord] as const
