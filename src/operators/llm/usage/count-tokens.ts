import type { Prompt } from '../../../protocols/llm/token-count/prompt.ts'
import { textSlices } from '../../../protocols/llm/token-count/text-slices.ts'

/**
 * Loads the encoder of OpenAI's newer models (o200k). That takes a fifth of a second and some tens of megabytes, so nobody
 * should who does not count.
 */
export const loadO200k = (): Promise<CountText> => (loaded ??= load())

let loaded: Promise<CountText> | undefined

const load = async (): Promise<CountText> => {
  const { countTokens } = await import('gpt-tokenizer/encoding/o200k_base')
  return (text) => countTokens(text, asText)
}

/** What looks like a mark of the encoder's own is what a client wrote. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/** Counts the tokens of a prompt in this process: an estimate, for models other than OpenAI's count otherwise. */
export type CountTokens = (prompt: Prompt, signal: AbortSignal) => Promise<number>

/** Says how many tokens a short text has. */
export type CountText = (text: string) => number

/**
 * Makes the counter.
 *
 * @param load Gives the encoder; called when there is something to count, for it is large and takes time to load.
 */
export const tokenCounter =
  (load: () => Promise<CountText>): CountTokens =>
  async ({ texts, moreTokens }, signal) => {
    const count = await load()
    let tokens = moreTokens
    let lengthInTurn = 0
    for (const text of texts)
      for (const slice of textSlices(text)) {
        tokens += count(slice)
        lengthInTurn += slice.length
        if (lengthInTurn < LENGTH_PER_TURN) continue
        // Everybody else comes in between, so that a long prompt delays nobody but its client.
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
        lengthInTurn = 0
      }
    return tokens
  }

/** In UTF-16 units: about a millisecond, and ten at worst. */
const LENGTH_PER_TURN = 4_096
