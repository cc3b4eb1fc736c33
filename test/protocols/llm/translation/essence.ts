import type { Part, ToolCallPart } from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import type { CacheMark } from '../../../../src/protocols/llm/chat/cache-mark.ts'
import type { ChatRequest } from '../../../../src/protocols/llm/chat/request.ts'

/** Content by kind: each kind is kept by a translation, or is reported as a loss. */
export type Essence = Readonly<Record<string, unknown>>

/** The content of a request. */
export const essenceOfRequest = (request: ChatRequest): Essence => {
  const { instructions, turns, reasoning } = request
  // Bedrock gets this if a conversation has calls and the request no tools.
  const offered = request.tools.filter((tool) => tool.name !== 'no_tool_available')
  // These positions are reported as a separate loss.
  const ofSystem = turns.flatMap(({ role, parts }) =>
    role === 'system' ? parts.filter((part) => part.type === 'text') : [],
  )
  const said = turns.filter(({ role }) => role !== 'system')
  // Tools that must not be called may be dropped.
  const toolChoice = offered.length > 0 ? (request.toolChoice ?? 'auto') : 'none'
  const tools = toolChoice === 'none' ? [] : offered
  const marks = [
    ...instructions.map(({ cache }) => cache),
    ...tools.map(({ cache }) => cache),
    ...turns.flatMap(({ parts }) => parts.flatMap(marksOf)),
  ]
  return {
    instructions: [...instructions, ...ofSystem].map(({ text }) => text).join('\n'),
    ...essenceOfParts(said.flatMap(({ role, parts }) => parts.map((part) => ({ role, part })))),
    tools: tools.map(({ name, description, parameters }) => ({ name, description, parameters })),
    toolChoice,
    cache: marks.flatMap((mark) => (mark ? [mark.ttl ?? 'default'] : [])),
    parallelTools: tools.length === 0 || request.parallelTools !== false,
    maxTokens: request.maxTokens,
    temperature: request.temperature,
    topP: request.topP,
    topK: request.topK,
    seed: request.seed,
    stop: request.stop,
    reasons: reasoning !== undefined && reasoning.effort !== 'none',
    user: request.user,
  }
}

/** The content of a response. */
export const essenceOfReply = ({ parts, finish, usage, ...reply }: ChatReply): Essence => ({
  ...essenceOfParts(parts.map((part) => ({ role: 'assistant', part }))),
  model: reply.model,
  finish: finish === 'refusal' ? 'contentFilter' : finish,
  usage: [usage?.inputTokens, usage?.outputTokens, usage?.cachedInputTokens ?? 0],
})

interface Said {
  readonly role: string
  readonly part: Part
}

const essenceOfParts = (said: readonly Said[]): Essence => ({
  words: wordsOf(said),
  calls: said.flatMap(({ part }) =>
    part.type === 'toolCall'
      ? [{ id: part.id, name: part.name, arguments: JSON.parse(part.arguments) as unknown }]
      : [],
  ),
  callSignatures: said.flatMap(({ part }) => (part.type === 'toolCall' ? [signatureOf(part)] : [])),
  results: said.flatMap(({ part }) =>
    part.type === 'toolResult'
      ? [{ id: part.id, text: part.parts.map((one) => (one.type === 'text' ? one.text : one.type)).join('') }]
      : [],
  ),
  failures: said.flatMap(({ part }) => (part.type === 'toolResult' ? [part.isError ?? false] : [])),
  images: said.flatMap(({ part }) => (part.type === 'image' ? [part.source] : [])),
  thoughts: said.flatMap(({ part }) => (part.type === 'thinking' ? [part.text] : [])),
  signatures: said.flatMap(({ part }) => (part.type === 'thinking' ? [part.signature] : [])),
  hidden: said.flatMap(({ part }) => (part.type === 'hiddenThinking' ? [part.data] : [])),
})

/** Roles and contents, in order; pauses do not matter. */
const wordsOf = (said: readonly Said[]): string[] => {
  const words: string[] = []
  let before = ''
  for (const { role, part } of said) {
    if (part.type !== 'text' && part.type !== 'refusal') continue
    if (role === before) words.push(`${words.pop() ?? ''}${part.text}`)
    else words.push(`${role}: ${part.text}`)
    before = role
  }
  return words
}

/** Gemini gets this in place of a missing signature. */
const signatureOf = ({ signature }: ToolCallPart): string | undefined =>
  signature === 'skip_thought_signature_validator' ? undefined : signature

/** A cache mark on a whole result equals one on its last part. */
const marksOf = (part: Part): readonly (CacheMark | undefined)[] => [
  ...(part.type === 'toolResult' ? part.parts.map(({ cache }) => cache) : []),
  ...('cache' in part ? [part.cache] : []),
]
