import type { Check } from './complaint.ts'

/** A method of MCP, or a pattern: `*` stands for any text, at the beginning or the end or alone. */
export const mcpMethodPattern: Check = (text) => {
  const stars = text.split('*').length - 1
  if (text !== '' && (stars === 0 || (stars === 1 && (text.startsWith('*') || text.endsWith('*')))))
    return undefined
  return {
    expectation:
      'must be a method of MCP such as tools/call; * may stand at the beginning, at the end or alone',
  }
}
