import type { TextScope } from '../../../operators/llm/guardrails/schema/normal-form.ts'
import type { JsonObject } from '../../json/json-object.ts'

/** The role and scope of a text. */
export interface TextRole {
  readonly role: string
  readonly scope: TextScope
}

/** The roles and scopes that all formats share. */
export const textRoles = {
  system: { role: 'system', scope: 'systemPrompt' },
  user: { role: 'user', scope: 'messages' },
  assistant: { role: 'assistant', scope: 'messages' },
  /** The arguments of a tool call. */
  call: { role: 'assistant', scope: 'toolInput' },
  /** The output of a tool. */
  tool: { role: 'tool', scope: 'toolOutput' },
} as const satisfies Readonly<Record<string, TextRole>>

/**
 * The role of the texts in an object, by its `role` and `type`. The output of a tool stays output, whatever it looks
 * like: the author of a web page must not be able to pass its text off as a system message.
 */
export const textRoleOf = ({ role, type }: JsonObject, around: TextRole): TextRole => {
  if (around.scope === 'toolOutput') return around
  if (typeof type === 'string') {
    if (type.endsWith('_tool_result') || type === 'tool_result' || type.endsWith('_output'))
      return textRoles.tool
    if (type.endsWith('tool_use') || type.endsWith('_call') || type === 'mcp_approval_request')
      return textRoles.call
  }
  if (around.scope !== 'toolInput' && typeof role === 'string')
    return byRole.get(role.toLowerCase()) ?? around
  return around
}

/** The role of the texts in a member, by its name. */
export const textRoleOfMember = (name: string, around: TextRole): TextRole => {
  switch (around.scope) {
    case 'toolOutput':
      return around
    case 'toolInput':
      return resultFields.has(name) ? textRoles.tool : around
    default:
      return byName.get(name) ?? around
  }
}

const byRole: ReadonlyMap<string, TextRole> = new Map<string, TextRole>([
  ['system', textRoles.system],
  ['developer', textRoles.system],
  ['user', textRoles.user],
  ['assistant', textRoles.assistant],
  ['model', textRoles.assistant],
  ['chatbot', textRoles.assistant],
  ['tool', textRoles.tool],
  ['function', textRoles.tool],
])

const byName: ReadonlyMap<string, TextRole> = new Map<string, TextRole>([
  ...['system', 'instructions', 'preamble', 'systemInstruction', 'system_instruction'].map(
    (name) => [name, textRoles.system] as const,
  ),
  ...['tool_calls', 'function_call', 'functionCall', 'toolUse', 'toolCall', 'tool_call'].map(
    (name) => [name, textRoles.call] as const,
  ),
  ...['executableCode', 'executable_code'].map((name) => [name, textRoles.call] as const),
  ...['functionResponse', 'function_response', 'toolResult', 'toolResponse', 'tool_response'].map(
    (name) => [name, textRoles.tool] as const,
  ),
  ...['codeExecutionResult', 'code_execution_result', 'tool_results'].map(
    (name) => [name, textRoles.tool] as const,
  ),
])

/** Members of calls that contain the output of the tool. */
const resultFields: ReadonlySet<string> = new Set(['output', 'outputs', 'results', 'error'])
