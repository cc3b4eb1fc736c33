import type { LlmPromptCaching } from '../../model/llm/llm-backend.ts'
import { type JsonObject, jsonObjectIn } from '../json/json-object.ts'
import { listIn } from '../json/typed-values.ts'
import type { ChatFormat } from './format.ts'
import type { Members } from './members/members.ts'

/** Rough: letters of a token. */
const LETTERS_PER_TOKEN = 4

/** So many marks a request may have, at Anthropic and at Bedrock; with more it is refused. */
const MOST_MARKS = 4

/**
 * Marks in a provider's request up to where its prompt is to be kept in a cache: `cache_control` of Anthropic, `cachePoint`
 * of Bedrock. Other formats have no markers, for their providers cache on their own. Prompts that are too short for it,
 * by a rough estimate, stay as they are. Marks of the client count, and stay.
 */
export const markForCache = (format: ChatFormat, body: Members, policy: LlmPromptCaching): void => {
  const mark = markers[format]
  if (!mark) return
  const parts = ['system', 'messages', mark.toolsField].map((name) => body.get(name))
  if (lettersIn(parts, policy.minTokens * LETTERS_PER_TOKEN) < policy.minTokens * LETTERS_PER_TOKEN) return
  let left = MOST_MARKS - marksIn(parts)
  const block: Mark = (last) => (left-- > 0 ? mark.block(last) : [last])
  if (policy.cacheTools) mark.tools(body, block)
  if (policy.cacheSystem) markLast(body, 'system', block)
  if (policy.cacheMessages) markMessage(body, policy.cacheMessageOffset, block)
}

/** How a format marks the end of what is to be kept: the blocks that take the place of the last one. */
interface Marker {
  readonly toolsField: string
  readonly block: Mark
  readonly tools: (body: Members, block: Mark) => void
}

type Mark = (last: JsonObject) => readonly JsonObject[]

const anthropic: Mark = (last) => [{ ...last, cache_control: { type: 'ephemeral' } }]
const bedrock: Mark = (last) => [last, { cachePoint: { type: 'default' } }]

const markers: Partial<Record<ChatFormat, Marker>> = {
  messages: {
    toolsField: 'tools',
    block: anthropic,
    tools: (body, block) => {
      markLast(body, 'tools', block)
    },
  },
  converse: {
    toolsField: 'toolConfig',
    block: bedrock,
    tools: (body, block) => {
      const config = jsonObjectIn(body.get('toolConfig'))
      const tools = config?.tools
      if (Array.isArray(tools)) body.set('toolConfig', { ...config, tools: replacedLast(tools, block) })
    },
  },
}

/** Whatever is a text becomes a block, for only blocks can be marked. */
const markLast = (body: Members, field: string, mark: Mark): void => {
  const value: unknown = body.get(field)
  const blocks: readonly unknown[] =
    typeof value === 'string' ? [{ type: 'text', text: value }] : listIn(value)
  if (blocks.length) body.set(field, replacedLast(blocks, mark))
}

/**
 * Marks the message before the last, or one so many before it, the first at most: what is said last is new each time, and
 * nobody asks for it again.
 */
const markMessage = (body: Members, offset: number, mark: Mark): void => {
  const messages = listIn(body.get('messages'))
  if (messages.length < 2) return
  const at = Math.max(0, messages.length - 2 - offset)
  const message = jsonObjectIn(messages[at])
  if (!message) return
  const { content } = message
  const blocks: readonly unknown[] =
    typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content)
  if (blocks.length === 0) return
  body.set('messages', messages.with(at, { ...message, content: replacedLast(blocks, mark) }))
}

/** What is marked already, or cannot be, stays. */
const replacedLast = (blocks: readonly unknown[], mark: Mark): readonly unknown[] => {
  const last = jsonObjectIn(blocks.at(-1))
  if (!last || isMarked(last) || last.type === 'thinking' || last.type === 'redacted_thinking') return blocks
  return [...blocks.slice(0, -1), ...mark(last)]
}

const isMarked = (block: object): boolean => 'cache_control' in block || 'cachePoint' in block

/** Wherever they are. */
const marksIn = (value: unknown): number => {
  const waiting: unknown[] = [value]
  let count = 0
  while (waiting.length) {
    const one = waiting.pop()
    if (typeof one !== 'object' || one === null) continue
    if (isMarked(one)) count++
    for (const part of Object.values(one) as unknown[]) waiting.push(part)
  }
  return count
}

/** Counts letters of texts, wherever they are, until there are enough. */
const lettersIn = (value: unknown, enough: number): number => {
  const waiting: unknown[] = [value]
  let count = 0
  while (waiting.length && count < enough) {
    const one = waiting.pop()
    if (typeof one === 'string') count += one.length
    else if (typeof one === 'object' && one !== null) waiting.push(...(Object.values(one) as unknown[]))
  }
  return count
}
