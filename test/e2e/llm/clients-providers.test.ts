import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import Anthropic from '@anthropic-ai/sdk'
import { FinishReason, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { type Replay, type ReplayModel, startReplay } from '../../support/llm/replay.ts'

/** What a client parsed from a reply. */
interface Heard {
  readonly text: string
  /** The arguments of the tool calls. */
  readonly calls: readonly unknown[]
  readonly ids: readonly (string | undefined)[]
  readonly finish: unknown
  /** Input, cached input, output. */
  readonly tokens: readonly (number | null | undefined)[]
  /** Undefined where the client's format has no field for it. */
  readonly thoughts?: string
}

interface ClientKind {
  readonly name: string
  readonly models: readonly ReplayModel[]
  readonly finish: unknown
  readonly hear: (origin: string, model: string, streamed: boolean) => Promise<Heard>
}

const QUESTION = 'How is the weather in Bern and in Rome?'
const parameters = {
  type: 'object' as const,
  properties: { city: { type: 'string' } },
  required: ['city'],
}

const clients: readonly ClientKind[] = [
  {
    name: 'Chat Completions',
    models: ['openai', 'anthropic', 'gemini', 'bedrock'],
    finish: 'tool_calls',
    hear: async (origin, model, streamed) => {
      const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'mine', maxRetries: 0 })
      const ask: OpenAI.ChatCompletionCreateParamsNonStreaming = {
        model,
        messages: [{ role: 'user', content: QUESTION }],
        tools: [{ type: 'function', function: { name: 'weather', parameters } }],
      }
      const { choices, usage } = streamed
        ? await client.chat.completions
            .stream({ ...ask, stream: true, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(ask)
      const { message, finish_reason: finish } = choices[0] ?? assert.fail()
      const calls = (message.tool_calls ?? []).filter((call) => call.type === 'function')
      return {
        text: message.content ?? '',
        calls: calls.map((call) => JSON.parse(call.function.arguments) as unknown),
        ids: calls.map(({ id }) => id),
        finish,
        tokens: [usage?.prompt_tokens, usage?.prompt_tokens_details?.cached_tokens, usage?.completion_tokens],
      }
    },
  },
  {
    name: 'Responses',
    models: ['openai', 'responses', 'anthropic', 'bedrock'],
    finish: 'completed',
    hear: async (origin, model, streamed) => {
      const client = new OpenAI({ baseURL: `${origin}/v1`, apiKey: 'mine', maxRetries: 0 })
      const ask: OpenAI.Responses.ResponseCreateParamsNonStreaming = {
        model,
        input: QUESTION,
        tools: [{ type: 'function', name: 'weather', strict: false, parameters }],
      }
      const { output, output_text, status, usage }: OpenAI.Responses.Response = streamed
        ? await client.responses.stream({ ...ask, stream: true }).finalResponse()
        : await client.responses.create(ask)
      const calls = output.filter((item) => item.type === 'function_call')
      return {
        text: output_text,
        calls: calls.map((call) => JSON.parse(call.arguments) as unknown),
        ids: calls.map(({ call_id }) => call_id),
        finish: status,
        tokens: [usage?.input_tokens, usage?.input_tokens_details.cached_tokens, usage?.output_tokens],
        thoughts: output
          .filter((item) => item.type === 'reasoning')
          .flatMap(({ summary, content }) => [...summary, ...(content ?? [])])
          .map(({ text }) => text)
          .join(''),
      }
    },
  },
  {
    name: 'Messages',
    models: ['anthropic', 'responses', 'bedrock'],
    finish: 'tool_use',
    hear: async (origin, model, streamed) => {
      const client = new Anthropic({ baseURL: origin, apiKey: 'mine', maxRetries: 0 })
      const ask: Anthropic.MessageCreateParamsNonStreaming = {
        model,
        max_tokens: 4000,
        thinking: { type: 'enabled', budget_tokens: 1024 },
        messages: [{ role: 'user', content: QUESTION }],
        tools: [{ name: 'weather', input_schema: parameters }],
      }
      const { content, stop_reason, usage } = streamed
        ? await client.messages.stream(ask).finalMessage()
        : await client.messages.create(ask)
      const calls = content.filter((block) => block.type === 'tool_use')
      const cached = usage.cache_read_input_tokens ?? 0
      return {
        text: content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
        calls: calls.map(({ input }) => input),
        ids: calls.map(({ id }) => id),
        finish: stop_reason,
        tokens: [usage.input_tokens + cached, cached, usage.output_tokens],
        thoughts: content.map((block) => (block.type === 'thinking' ? block.thinking : '')).join(''),
      }
    },
  },
  {
    name: 'generateContent',
    models: ['gemini', 'openai'],
    finish: FinishReason.STOP,
    hear: async (origin, model, streamed) => {
      const client = new GoogleGenAI({ apiKey: 'mine', httpOptions: { baseUrl: origin } })
      const ask = {
        model,
        contents: QUESTION,
        config: {
          thinkingConfig: { includeThoughts: true },
          tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: parameters }] }],
        },
      }
      const chunks: GenerateContentResponse[] = []
      if (streamed)
        for await (const chunk of await client.models.generateContentStream(ask)) chunks.push(chunk)
      else chunks.push(await client.models.generateContent(ask))
      const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
      const calls = parts.flatMap(({ functionCall }) => functionCall ?? [])
      const last = chunks.at(-1)
      const usage = last?.usageMetadata
      return {
        text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
        calls: calls.map(({ args }) => args),
        ids: calls.map(({ args, id }) => id ?? JSON.stringify(args)),
        finish: last?.candidates?.[0]?.finishReason,
        tokens: [
          usage?.promptTokenCount,
          usage?.cachedContentTokenCount,
          (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
        ],
        ...(model === 'gemini' && {
          thoughts: parts.map(({ text, thought }) => (thought === true ? text : '')).join(''),
        }),
      }
    },
  },
]

/** Chat Completions of OpenAI carry no reasoning, so clients that use them get none. */
suite('recorded provider responses', () => {
  let replay: Replay
  before(async () => {
    replay = await startReplay()
  })
  after(() => replay[Symbol.asyncDispose]())

  for (const { name, models, finish, hear } of clients)
    for (const model of models)
      for (const streamed of [false, true])
        test(`reach ${name} from ${model}${streamed ? ', streamed' : ''}`, async () => {
          const { ids, thoughts, ...heard } = await hear(replay.origin, model, streamed)
          assert.deepEqual(heard, {
            text: 'Let me look.',
            calls: [{ city: 'Bern' }, { city: 'Rome' }],
            finish,
            tokens: [1200, 1000, 60],
          })
          assert.equal(new Set(ids).size, 2)
          if (thoughts !== undefined) assert.equal(thoughts, 'Two cities.')
        })

  test("are requested with the provider's key, and no key of a client", async () => {
    const first = replay.server.calls.length
    for (const model of ['openai', 'anthropic', 'gemini', 'bedrock'])
      await clients[0]?.hear(replay.origin, model, false)
    const [openai, anthropic, gemini, bedrock] = replay.server.calls
      .slice(first)
      .map(({ path, headers }) => ({ path, headers }))
    assert.equal(openai?.path, '/v1/chat/completions')
    assert.equal(openai.headers.authorization, 'Bearer sk-o')
    assert.equal(anthropic?.path, '/v1/messages')
    assert.equal(anthropic.headers['x-api-key'], 'sk-a')
    assert.equal(anthropic.headers['anthropic-version'], '2023-06-01')
    assert.equal(gemini?.path, '/gemini/v1beta/models/gemini:generateContent')
    assert.equal(gemini.headers['x-goog-api-key'], 'AIzaX')
    assert.equal(bedrock?.path, '/bedrock/model/bedrock/converse')
    // The host does not contain the region.
    assert.match(
      bedrock.headers.authorization ?? '',
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d+\/eu-west-1\/bedrock\/aws4_request, /,
    )
    const all = [openai, anthropic, gemini, bedrock].map(({ headers }) => JSON.stringify(headers)).join()
    assert.doesNotMatch(all, /mine/)
  })
})
