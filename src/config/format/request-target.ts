import type { FormatCheck } from './format-check.ts'

/** A path with or without a query, as it is sent. */
export const requestTarget: FormatCheck = (text) => {
  if (!text.startsWith('/')) return { expectation: 'must start with "/"', hint: `did you mean "/${text}"?` }
  return /^[!-~]+$/.test(text) && !text.includes('#')
    ? undefined
    : { expectation: 'must be a path of visible ASCII characters without "#"' }
}
