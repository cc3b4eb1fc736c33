import type { Check } from './complaint.ts'

/** The name of an MCP server: it is put before names with `_` and before addresses with `+`, and must hold neither. */
export const mcpTargetName: Check = (text) => {
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
