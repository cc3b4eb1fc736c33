import type { FormatCheck } from './format-check.ts'

/** The name of a language model, or a pattern: `*` stands for any text, at the beginning or the end or alone. */
export const modelPatternFormat: FormatCheck = (text) => {
  if (text !== '' && !text.slice(1, -1).includes('*') && text !== '**') return undefined
  return { expectation: 'must be the name of a model; * may stand at the beginning, at the end or alone' }
}
