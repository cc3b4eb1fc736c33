import type { TextScope } from '../../../model/llm-guards.ts'
import type { JsonObject } from '../../json/json-object.ts'

/** Who says a text, and where. */
export interface Voice {
  readonly role: string
  readonly scope: TextScope
}

/** Those that formats have in common. */
export const voices = {
  system: { role: 'system', scope: 'systemPrompt' },
  user: { role: 'user', scope: 'messages' },
  assistant: { role: 'assistant', scope: 'messages' },
  /** What a model asks a tool for. */
  call: { role: 'assistant', scope: 'toolInput' },
  /** What a tool answers. */
  tool: { role: 'tool', scope: 'toolOutput' },
} as const satisfies Readonly<Record<string, Voice>>

/**
 * Whose texts are in an object, by its role and its type. What a tool has answered stays its answer, whatever it looks
 * like: who writes a page on the web must not get to say that its words are a system's.
 */
export const voiceOf = ({ role, type }: JsonObject, around: Voice): Voice => {
  if (around.scope === 'toolOutput') return around
  if (typeof type === 'string') {
    if (type.endsWith('_tool_result') || type === 'tool_result' || type.endsWith('_output'))
      return voices.tool
    if (type.endsWith('tool_use') || type.endsWith('_call') || type === 'mcp_approval_request')
      return voices.call
  }
  if (around.scope !== 'toolInput' && typeof role === 'string')
    return byRole.get(role.toLowerCase()) ?? around
  return around
}

/** Whose texts a member holds, by its name. */
export const voiceOfMember = (name: string, around: Voice): Voice => {
  switch (around.scope) {
    case 'toolOutput':
      return around
    case 'toolInput':
      return answers.has(name) ? voices.tool : around
    default:
      return byName.get(name) ?? around
  }
}

const byRole: ReadonlyMap<string, Voice> = new Map<string, Voice>([
  ['system', voices.system],
  ['developer', voices.system],
  ['user', voices.user],
  ['assistant', voices.assistant],
  ['model', voices.assistant],
  ['chatbot', voices.assistant],
  ['tool', voices.tool],
  ['function', voices.tool],
])

const byName: ReadonlyMap<string, Voice> = new Map<string, Voice>([
  ...['system', 'instructions', 'preamble', 'systemInstruction', 'system_instruction'].map(
    (name) => [name, voices.system] as const,
  ),
  ...['tool_calls', 'function_call', 'functionCall', 'toolUse', 'toolCall', 'tool_call'].map(
    (name) => [name, voices.call] as const,
  ),
  ...['executableCode', 'executable_code'].map((name) => [name, voices.call] as const),
  ...['functionResponse', 'function_response', 'toolResult', 'toolResponse', 'tool_response'].map(
    (name) => [name, voices.tool] as const,
  ),
  ...['codeExecutionResult', 'code_execution_result', 'tool_results'].map(
    (name) => [name, voices.tool] as const,
  ),
])

/** Members of calls that hold what came of them. */
const answers: ReadonlySet<string> = new Set(['output', 'outputs', 'results', 'error'])
