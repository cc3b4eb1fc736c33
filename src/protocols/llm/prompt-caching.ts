import type { LlmPromptCaching } from '../../model/llm/llm-backend.ts'
import { type JsonObject, jsonObjectIn } from '../json/json-object.ts'
import { listIn } from '../json/typed-values.ts'
import type { ChatFormat } from './format.ts'
import type { Members } from './members/members.ts'

/** A rough estimate. */
const LETTERS_PER_TOKEN = 4

/** Anthropic and Bedrock refuse requests with more marks. */
const MOST_MARKS = 4

/**
 * Marks how much of the prompt a provider caches: `cache_control` of Anthropic, `cachePoint` of Bedrock. Other formats
 * have no marks, since their providers cache on their own. Prompts that are too short, by a rough estimate, are not
 * marked. Marks of the client are kept and count towards the limit.
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

/** How a format marks the end of the cached prefix: the blocks that replace the last one. */
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

/** Marks the last block of a field. A string becomes a block, since only blocks can be marked. */
const markLast = (body: Members, field: string, mark: Mark): void => {
  const value: unknown = body.get(field)
  const blocks: readonly unknown[] =
    typeof value === 'string' ? [{ type: 'text', text: value }] : listIn(value)
  if (blocks.length) body.set(field, replacedLast(blocks, mark))
}

/**
 * Marks the message `offset` messages before the second to last, or the first one. The last message is new in each
 * request, so caching it is useless.
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

/** Replaces the last block with its marked form, unless it is marked already or cannot be marked. */
const replacedLast = (blocks: readonly unknown[], mark: Mark): readonly unknown[] => {
  const last = jsonObjectIn(blocks.at(-1))
  if (!last || isMarked(last) || last.type === 'thinking' || last.type === 'redacted_thinking') return blocks
  return [...blocks.slice(0, -1), ...mark(last)]
}

const isMarked = (block: object): boolean => 'cache_control' in block || 'cachePoint' in block

/** Counts marks at any depth. */
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

/** Counts characters of strings at any depth, until there are enough. */
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
