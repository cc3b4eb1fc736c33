import type { LlmContent } from '../../../model/llm/llm-call.ts'
import { readJson } from '../../json/read-json.ts'
import type { ChatEvent } from './events.ts'
import type { Part } from './parts.ts'
import type { ChatRequest, Turn } from './request.ts'

/** The texts and tool calls of a reply, without thinking. */
export const contentIn = (parts: readonly Part[]): LlmContent => ({
  completion: parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])),
  toolCalls: parts.flatMap((part) =>
    part.type === 'toolCall' ? [{ id: part.id, name: part.name, arguments: valueOf(part.arguments) }] : [],
  ),
})

/** The messages of a request, each with its role and its text. */
export const promptIn = ({ instructions, turns }: ChatRequest): readonly object[] => [
  ...instructions.map(({ text }) => ({ role: 'system', content: text })),
  ...turns.flatMap(messagesOf),
]

/** Collects the content of a reply from its stream, up to a limit. */
export class StreamContent {
  readonly #limit: number
  #length = 0
  readonly #parts: Growing[] = []

  /** @param limit In characters. */
  constructor(limit: number) {
    this.#limit = limit
  }

  readonly onEvent = (event: ChatEvent): void => {
    if (event.type === 'open') {
      const { part } = event
      if (part.type === 'toolCall') this.#parts[event.block] = { ...part, text: '' }
      else if (part.type !== 'hiddenThinking') this.#parts[event.block] = { type: part.type, text: '' }
    } else if (event.type === 'delta') {
      const part = this.#parts[event.block]
      this.#length += event.text.length
      if (part && this.#length <= this.#limit) part.text += event.text
    }
  }

  get content(): LlmContent {
    return contentIn(
      // Blocks without content leave holes.
      this.#parts.flatMap((part): Part[] => [
        part.type === 'toolCall' ? { ...part, arguments: part.text } : { type: part.type, text: part.text },
      ]),
    )
  }
}

type Growing =
  | { readonly type: 'text' | 'refusal' | 'thinking'; text: string }
  | { readonly type: 'toolCall'; readonly id: string; readonly name: string; text: string }

/** Tool results are messages of their own, as in most formats. */
const messagesOf = ({ role, parts }: Turn): readonly object[] => {
  const results = parts.flatMap((part) =>
    part.type === 'toolResult' ? [{ role: 'tool', content: textOf(part.parts) }] : [],
  )
  return results.length > 0 && results.length === parts.length
    ? results
    : [...results, { role, content: textOf(parts) }]
}

const textOf = (parts: readonly Part[]): string =>
  parts.flatMap((part) => (part.type === 'text' || part.type === 'refusal' ? [part.text] : [])).join('\n')

/** Text that is not JSON is kept as it is. */
const valueOf = (text: string): unknown => {
  const value = readJson(text)
  return value === undefined ? text : value
}
