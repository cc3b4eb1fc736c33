import type { Check } from './complaint.ts'

/** The name of a language model, or a pattern: `*` stands for any text, at the beginning or the end or alone. */
export const modelPattern: Check = (text) => {
  if (text !== '' && !text.slice(1, -1).includes('*') && text !== '**') return undefined
  return { expectation: 'must be the name of a model; * may stand at the beginning, at the end or alone' }
}
