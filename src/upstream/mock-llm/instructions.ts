import { breakInJson } from '../../protocols/json/syntax-error-offset.ts'
import type { Finish } from '../../protocols/llm/chat/reply.ts'
import type { Usage } from '../../protocols/llm/usage.ts'

/** The instructions in a message to the mock. */
export interface Instructions {
  readonly say?: string
  /** Number of words in the reply. */
  readonly words?: number
  /** JSON text of the reply. */
  readonly json?: string
  readonly think?: string
  readonly refuse?: string
  /** Tools to call. */
  readonly tools: readonly ToolInstruction[]
  readonly finish?: Finish
  readonly usage?: Usage
  /** Before the head of the reply, in milliseconds. */
  readonly delayMs: number
  /** Before each chunk of a stream, in milliseconds. */
  readonly chunkDelayMs: number
  readonly error?: ErrorInstruction
  /** Chunks before an error event. */
  readonly errorAfter?: number
  /** Chunks before the connection breaks. */
  readonly cutAfter?: number
  /** The message without its instructions. */
  readonly rest: string
}

/** A tool to call; without arguments an instance of its schema is generated. */
export interface ToolInstruction {
  readonly name: string
  readonly arguments?: string
}

/** A reply that is an error. */
export interface ErrorInstruction {
  readonly status: number
  readonly message?: string
  readonly retryAfterS?: number
}

/**
 * Parses the instructions in a message: `mock:` and a keyword, at the beginning of a line or after a space, and its
 * arguments. `mock@name:` applies to the model of that name only. Unknown instructions stay in the text.
 *
 * @example
 * instructionsIn('mock:delay 200ms Hello!', 'fast') // delayMs 200, rest 'Hello!'
 */
export const instructionsIn = (text: string, model: string): Instructions => {
  const draft: Draft = { tools: [], delayMs: 0, chunkDelayMs: 0 }
  if (!text.includes('mock')) return { ...draft, rest: text.trim() }
  let rest = ''
  let at = 0
  const marker = new RegExp(pattern, 'g')
  for (let found = marker.exec(text); found; found = marker.exec(text)) {
    const start = marker.lastIndex
    const change = readers[found[2] as Word]({ text, start, end: endOfLine(text, start) })
    if (!change) continue
    rest += text.slice(at, found.index)
    at = marker.lastIndex = change.end
    if (found[1] === undefined || found[1] === model) change.apply(draft)
  }
  return { ...draft, rest: (rest + text.slice(at)).trim() }
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
type Draft = Mutable<Omit<Instructions, 'rest' | 'tools'>> & { readonly tools: ToolInstruction[] }

/** The range of an instruction's arguments: up to the end of the line, or to the next instruction. */
interface ArgumentRange {
  readonly text: string
  readonly start: number
  readonly end: number
}

/** Length and effect of an instruction. */
interface Change {
  readonly end: number
  readonly apply: (draft: Draft) => void
}

type Reader = (range: ArgumentRange) => Change | undefined
type Word = keyof typeof readers

const sentence =
  (apply: (draft: Draft, text: string) => void): Reader =>
  ({ text, start, end }) => {
    const words = text.slice(start, end).trim()
    return { end, apply: (draft) => apply(draft, words) }
  }

/** @param shape Matched against the text after the keyword, which begins with its space. */
const arguments_ =
  (shape: RegExp, apply: (draft: Draft, found: RegExpExecArray) => void): Reader =>
  ({ text, start, end }) => {
    const found = shape.exec(text.slice(start, end))
    return found ? { end: start + found[0].length, apply: (draft) => apply(draft, found) } : undefined
  }

const joined = (before: string | undefined, line: string): string =>
  before === undefined ? line : `${before}\n${line}`

const readers = {
  say: sentence((draft, text) => (draft.say = joined(draft.say, text))),
  think: sentence((draft, text) => (draft.think = joined(draft.think, text))),
  refuse: sentence((draft, text) => (draft.refuse = text === '' ? 'The mock refuses.' : text)),
  words: arguments_(
    /^ +(\d{1,6})(?!\S)/,
    (draft, [, count]) => (draft.words = Math.min(Number(count), 100_000)),
  ),
  json: ({ text, start }) => {
    const json = jsonAt(text, start)
    return json && { end: json.end, apply: (draft) => (draft.json = json.value) }
  },
  tool: ({ text, start, end }) => {
    const name = /^ +([^\s{}]+)/.exec(text.slice(start, end))
    if (!name) return undefined
    const json = jsonAt(text, start + name[0].length)
    const tool = { name: name[1] as string, ...(json && { arguments: json.value }) }
    return { end: json?.end ?? start + name[0].length, apply: (draft) => draft.tools.push(tool) }
  },
  delay: arguments_(/^ +(\d{1,6})(ms|s)(?!\S)/, (draft, found) => (draft.delayMs = milliseconds(found))),
  'chunk-delay': arguments_(
    /^ +(\d{1,6})(ms|s)(?!\S)/,
    (draft, found) => (draft.chunkDelayMs = milliseconds(found)),
  ),
  error: arguments_(
    /^ +([45]\d\d)(?: +retry-after=(\d{1,5}))?(?!\S)(.*)$/,
    (draft, [, status, retryAfter, message = '']) => {
      draft.error = {
        status: Number(status),
        ...(message.trim() !== '' && { message: message.trim() }),
        ...(retryAfter !== undefined && { retryAfterS: Number(retryAfter) }),
      }
    },
  ),
  'error-mid': arguments_(/^ +(\d{1,6})(?!\S)/, (draft, [, after]) => (draft.errorAfter = Number(after))),
  cut: arguments_(/^ +(\d{1,6})(?!\S)/, (draft, [, after]) => (draft.cutAfter = Number(after))),
  finish: ({ text, start, end }) => {
    const found = /^ +([a-z_]+)(?!\S)/.exec(text.slice(start, end))
    const finish = found ? finishes.get(found[1] as string) : undefined
    return found && finish
      ? { end: start + found[0].length, apply: (draft) => (draft.finish = finish) }
      : undefined
  },
  usage: arguments_(
    /^ +(\d{1,9}) +(\d{1,9})((?: +(?:cached|written|reasoning|audio-in|audio-out)=\d{1,9})*)(?!\S)/,
    (draft, [, input, output, more = '']) => {
      const given = new Map(more.split(' ').map((pair) => pair.split('=') as [string, string | undefined]))
      const figure = (name: string): number | undefined =>
        given.has(name) ? Number(given.get(name)) : undefined
      draft.usage = {
        inputTokens: Number(input),
        outputTokens: Number(output),
        totalTokens: Number(input) + Number(output),
        cachedInputTokens: figure('cached'),
        cacheCreationInputTokens: figure('written'),
        reasoningTokens: figure('reasoning'),
        inputAudioTokens: figure('audio-in'),
        outputAudioTokens: figure('audio-out'),
      }
    },
  ),
} satisfies Record<string, Reader>

/** The finish reasons, in the spelling of every format. */
const finishes: ReadonlyMap<string, Finish> = new Map([
  ['stop', 'stop'],
  ['end_turn', 'stop'],
  ['stop_sequence', 'stopSequence'],
  ['length', 'length'],
  ['max_tokens', 'length'],
  ['tool_calls', 'toolCalls'],
  ['tool_use', 'toolCalls'],
  ['content_filter', 'contentFilter'],
  ['refusal', 'refusal'],
  ['pause_turn', 'pause'],
])

const pattern = `(?<!\\S)mock(?:@(\\S+?))?:(${Object.keys(readers).join('|')})(?!\\S)`

const endOfLine = (text: string, start: number): number => {
  const line = text.indexOf('\n', start)
  const end = line < 0 ? text.length : line
  const next = new RegExp(pattern).exec(text.slice(start, end))
  return next ? start + next.index : end
}

const milliseconds = ([, count, unit]: RegExpExecArray): number =>
  Math.min(Number(count) * (unit === 's' ? 1000 : 1), 600_000)

/** A JSON object or array, over several lines if need be. */
const jsonAt = (text: string, from: number): { readonly value: string; readonly end: number } | undefined => {
  let start = from
  while (text[start] === ' ') start++
  if (text[start] !== '{' && text[start] !== '[') return undefined
  const found = text.slice(start)
  // What comes behind a whole value breaks JSON exactly where the value has ended.
  const end = breakInJson(found) ?? found.length
  const value = found.slice(0, end).trim()
  return breakInJson(value) === undefined ? { value, end: start + end } : undefined
}
