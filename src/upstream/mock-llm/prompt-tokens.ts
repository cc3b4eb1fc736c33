import type { Part } from '../../protocols/llm/chat/parts.ts'
import type { ChatRequest } from '../../protocols/llm/chat/request.ts'
import { countMockTokens } from './mock-tokens.ts'

/** Number of the mock's tokens of a conversation: its texts, its tools, and a fixed number for anything else. */
export const promptTokens = ({ instructions, turns, tools }: ChatRequest): number => {
  let count = 0
  for (const part of instructions) count += countMockTokens(part.text)
  for (const { parts } of turns) for (const part of parts) count += partTokens(part)
  for (const { name, description = '', parameters } of tools)
    count += countMockTokens(`${name} ${description} ${JSON.stringify(parameters)}`)
  return count
}

/** Of an image, a file or audio, whatever its size. */
const ATTACHMENT_TOKENS = 100

const partTokens = (part: Part): number => {
  switch (part.type) {
    case 'text':
    case 'thinking':
    case 'refusal':
      return countMockTokens(part.text)
    case 'toolCall':
      return countMockTokens(part.name + part.arguments)
    case 'toolResult':
      return part.parts.reduce((sum, one) => sum + partTokens(one), 0)
    case 'hiddenThinking':
      return countMockTokens(part.data)
    default:
      return ATTACHMENT_TOKENS
  }
}
