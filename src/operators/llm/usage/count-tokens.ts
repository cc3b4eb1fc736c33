import type { Prompt } from '../../../protocols/llm/token-count/prompt.ts'
import { textSlices } from '../../../protocols/llm/token-count/text-slices.ts'

/**
 * Loads the encoder of OpenAI's newer models (o200k). That takes 0.2 seconds and some tens of megabytes, so it is done
 * only for counting.
 */
export const loadO200k = (): Promise<CountText> => (loaded ??= load())

let loaded: Promise<CountText> | undefined

const load = async (): Promise<CountText> => {
  const { countTokens } = await import('./tokenizer-library.ts')
  return (text) => countTokens(text, asText)
}

/** Special tokens of the encoder in a text were written by a client: they are plain text. */
const asText = { allowedSpecial: new Set<string>(), disallowedSpecial: new Set<string>() }

/** Counts the tokens of a prompt in this process: an estimate, since models other than OpenAI's count otherwise. */
export type CountTokens = (prompt: Prompt, signal: AbortSignal) => Promise<number>

/** Counts the tokens of a short text. */
export type CountText = (text: string) => number

/**
 * Creates the counter.
 *
 * @param load Loads the encoder; called at the first count, since it is large and takes time to load.
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
        // Lets other work run, so that a long prompt delays only its own client.
        await new Promise((resolve) => setImmediate(resolve))
        signal.throwIfAborted()
        lengthInTurn = 0
      }
    return tokens
  }

/** In UTF-16 units: about a millisecond, and ten at worst. */
const LENGTH_PER_TURN = 4_096
