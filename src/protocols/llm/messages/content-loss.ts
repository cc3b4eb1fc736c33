/** How the loss of a block in an answer is called: those of tools that run at Anthropic by their type. */
export const contentLoss = (type: string): string =>
  `content.${blocksOfAnthropic.has(type) ? type : 'unknown'}`

const blocksOfAnthropic: ReadonlySet<string> = new Set([
  'server_tool_use',
  'web_search_tool_result',
  'web_fetch_tool_result',
  'code_execution_tool_result',
  'bash_code_execution_tool_result',
  'text_editor_code_execution_tool_result',
  'tool_search_tool_result',
  'mcp_tool_use',
  'mcp_tool_result',
  'container_upload',
  'tool_reference',
  'browser_state',
  'compaction',
])
