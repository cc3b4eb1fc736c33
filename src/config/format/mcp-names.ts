import type { FormatCheck } from './format-check.ts'

/**
 * The name of an MCP server. It becomes a prefix of names with `_` and of addresses with `+`, so it must not
 * contain either.
 */
export const mcpTargetName: FormatCheck = (text) => {
  if (text.length <= 253 && NAME.test(text)) return undefined
  const spelt = text.toLowerCase().replaceAll(/[_+ ]/g, '-')
  const hint = spelt !== text && NAME.test(spelt) ? { hint: `did you mean "${spelt}"?` } : {}
  return {
    expectation:
      'must be 1 to 253 lower-case letters, digits, "-" and ".", beginning and ending with a letter or digit',
    ...hint,
  }
}

const LABEL = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
const NAME = new RegExp(`^${LABEL}(?:\\.${LABEL})*$`)

/** A method of MCP, or a pattern: `*` stands for any text, at the beginning or the end or alone. */
export const mcpMethodPattern: FormatCheck = (text) => {
  const stars = text.split('*').length - 1
  if (text !== '' && (stars === 0 || (stars === 1 && (text.startsWith('*') || text.endsWith('*')))))
    return undefined
  return {
    expectation:
      'must be a method of MCP such as tools/call; * may stand at the beginning, at the end or alone',
  }
}
