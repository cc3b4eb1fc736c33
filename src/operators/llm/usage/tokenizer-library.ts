/** One encoding of the tokenizer, by itself: it is loaded when prompts are counted. */
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
