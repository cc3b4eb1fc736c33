import fc from 'fast-check'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import type {
  Part,
  TextPart,
  ToolCallPart,
  ToolResultPart,
} from '../../../../src/protocols/llm/chat/parts.ts'
import type { ChatReply } from '../../../../src/protocols/llm/chat/reply.ts'
import type { CacheMark } from '../../../../src/protocols/llm/chat/cache-mark.ts'
import type { ChatRequest, Tool, Turn } from '../../../../src/protocols/llm/chat/request.ts'

/** Words of any language, with characters that JSON and event streams have to escape. */
export const words = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1 }),
      fc.constantFrom('\n', '\r\n', '"', '\\', '🌤', 'data: '),
    ),
    {
      minLength: 1,
      maxLength: 4,
    },
  )
  // Nobody says nothing: blank texts are not allowed by some providers.
  .map((pieces) => `${pieces.join('')}.`)

const name = fc.stringMatching(/^[a-z][a-z0-9_]{0,12}$/)
const signature = fc.base64String({ minLength: 4, maxLength: 12 }).filter((text) => text !== '')
const cache: fc.Arbitrary<CacheMark | undefined> = fc.constantFrom(undefined, undefined, {}, { ttl: '1h' })

/** Arguments in the style of models: of any depth, with any spacing. */
export const json = fc
  .tuple(fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }), fc.nat(1))
  .map(([value, space]) => JSON.stringify(value, undefined, space))

const text = (marked: boolean): fc.Arbitrary<TextPart> =>
  fc.tuple(words, marked ? cache : fc.constant(undefined)).map(([said, mark]) => ({
    type: 'text',
    text: said,
    ...(mark && { cache: mark }),
  }))

const image: fc.Arbitrary<Part> = fc.constantFrom<Part>(
  { type: 'image', source: { base64: 'iVBORw0KGgo=', mediaType: 'image/png' } },
  { type: 'image', source: { base64: '/9j/4AA=', mediaType: 'image/jpeg' } },
)

const thinking: fc.Arbitrary<readonly Part[]> = fc.oneof(
  fc.constant([]),
  words.map((thought): readonly Part[] => [{ type: 'thinking', text: thought }]),
  fc
    .tuple(words, signature)
    .map(([thought, sign]): readonly Part[] => [{ type: 'thinking', text: thought, signature: sign }]),
  signature.map((data): readonly Part[] => [{ type: 'hiddenThinking', data }]),
)

const call = fc
  .tuple(name, json, fc.option(signature, { nil: undefined, freq: 3 }))
  .map(([called, text, sign]) => ({
    type: 'toolCall' as const,
    id: '',
    name: called,
    arguments: text,
    ...(sign !== undefined && { signature: sign }),
  }))

/** The content of an assistant: reasoning, texts, calls. */
const assistant = fc
  .tuple(thinking, fc.option(text(false), { nil: undefined }), fc.array(call, { maxLength: 3 }))
  .map(([thought, said, calls]): readonly Part[] => [...thought, ...(said ? [said] : []), ...calls])
  .filter((parts) => parts.some(({ type }) => type === 'text' || type === 'toolCall'))

const user = fc
  .tuple(text(true), fc.array(fc.oneof(text(true), image), { maxLength: 2 }))
  .map(([first, more]) => [first, ...more])

const result = fc.tuple(words, fc.constantFrom(undefined, true), cache)

/** A turn of each role, the results of its tool calls, and system text between the two. */
const exchange = fc.tuple(
  user,
  assistant,
  fc.array(result, { minLength: 3, maxLength: 3 }),
  fc.option(text(false), { nil: undefined }),
)

type Exchange = readonly [
  asks: readonly Part[],
  says: readonly Part[],
  results: readonly (readonly [string, true | undefined, CacheMark | undefined])[],
  instructs: TextPart | undefined,
]

/** Concatenates exchanges; calls get their own ids, and results. */
const conversation = (exchanges: readonly Exchange[], last: readonly Part[]): readonly Turn[] => {
  const turns: Turn[] = []
  let pending: readonly ToolResultPart[] = []
  let calls = 0
  for (const [asks, says, results, instructs] of exchanges) {
    turns.push({ role: 'user', parts: [...pending, ...asks] })
    if (instructs) turns.push({ role: 'system', parts: [instructs] })
    const parts = says.map((part) => (part.type === 'toolCall' ? { ...part, id: `call_${calls++}` } : part))
    turns.push({ role: 'assistant', parts })
    pending = parts
      .filter((part): part is ToolCallPart => part.type === 'toolCall')
      .map(({ id, name: called }, i) => {
        const [said = '', isError, mark] = results[i] ?? []
        const given: TextPart = { type: 'text', text: said }
        return {
          type: 'toolResult',
          id,
          name: called,
          parts: [given],
          ...(isError && { isError }),
          ...(mark && { cache: mark }),
        }
      })
  }
  turns.push({ role: 'user', parts: [...pending, ...last] })
  return turns
}

const schema: fc.Arbitrary<JsonObject> = fc.constantFrom<JsonObject>(
  { type: 'object', properties: {} },
  { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
)

const tools: fc.Arbitrary<readonly Tool[]> = fc.uniqueArray(
  fc.tuple(name, words, schema, cache).map(([called, description, parameters, mark]) => ({
    name: called,
    description,
    parameters,
    ...(mark && { cache: mark }),
  })),
  { selector: (tool) => tool.name, maxLength: 3 },
)

/** Requests of all kinds for a model. */
export const requests = (model: string): fc.Arbitrary<ChatRequest> =>
  fc
    .record({
      instructions: fc.array(text(true), { maxLength: 2 }),
      exchanges: fc.array(exchange, { maxLength: 3 }),
      last: user,
      tools,
      choice: fc.constantFrom('auto', 'required', 'none', undefined),
      parallelTools: fc.constantFrom(undefined, false),
      maxTokens: fc.constantFrom(undefined, 100, 50_000),
      // Not 1, the only valid value for some models, which is omitted then.
      temperature: fc.constantFrom(undefined, 0, 0.5),
      topP: fc.constantFrom(undefined, 0.9),
      topK: fc.constantFrom(undefined, 40),
      seed: fc.constantFrom(undefined, 7),
      stop: fc.constantFrom([], ['END'], ['a', 'b']),
      effort: fc.constantFrom(undefined, 'low', 'medium', 'high'),
      user: fc.constantFrom(undefined, 'user-1'),
    })
    .map((given) => ({
      model,
      instructions: given.instructions,
      turns: conversation(given.exchanges, given.last),
      tools: given.tools,
      toolChoice: given.tools.length > 0 ? given.choice : undefined,
      parallelTools: given.tools.length > 0 ? given.parallelTools : undefined,
      maxTokens: given.maxTokens,
      temperature: given.temperature,
      topP: given.topP,
      topK: given.topK,
      seed: given.seed,
      stop: given.stop,
      reasoning: given.effort && { effort: given.effort },
      user: given.user,
      streaming: true,
      includeUsage: true,
    }))

/** Responses of all kinds. */
export const replies: fc.Arbitrary<ChatReply> = fc
  .tuple(
    assistant,
    fc.constantFrom('stop', 'length', 'contentFilter'),
    fc.nat(1000),
    fc.nat(1000),
    fc.option(fc.nat(100)),
  )
  .map(([parts, finish, input, output, cached]): ChatReply => {
    const numbered = parts.map((part, i) => (part.type === 'toolCall' ? { ...part, id: `call_${i}` } : part))
    const hasCalls = numbered.some(({ type }) => type === 'toolCall')
    return {
      id: 'answer-1',
      model: 'model-1',
      createdAtS: 1_700_000_100,
      parts: numbered,
      finish: finish === 'stop' && hasCalls ? 'toolCalls' : finish,
      usage: {
        inputTokens: input + (cached ?? 0),
        outputTokens: output,
        ...(cached !== null && { cachedInputTokens: cached }),
      },
    }
  })
