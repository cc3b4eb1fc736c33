import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { type AIMessageChunk, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import { ChatOpenAI, type ChatOpenAIFields, OpenAIEmbeddings } from '@langchain/openai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'

/** The format, and the models that it calls. */
const ways: readonly { readonly useResponsesApi: boolean; readonly models: readonly MockModel[] }[] = [
  { useResponsesApi: false, models: ['plain', 'by-messages', 'by-gemini'] },
  { useResponsesApi: true, models: ['plain', 'by-completions', 'by-messages'] },
]

suite('LangChain', () => {
  let mocks: Mocks
  before(async () => {
    mocks = await startMocks()
  })
  after(() => mocks[Symbol.asyncDispose]())

  for (const { useResponsesApi, models } of ways)
    for (const model of models)
      suite(`by ${useResponsesApi ? 'responses' : 'chat'} with ${model}`, () => {
        const chat = (more: ChatOpenAIFields = {}) =>
          new ChatOpenAI({
            model,
            useResponsesApi,
            apiKey: 'anything',
            maxRetries: 0,
            configuration: { baseURL: `${mocks.origin}/v1` },
            ...more,
          })

        test('invokes', async () => {
          const said = await chat().invoke('mock:say Good morning.')
          assert.equal(said.text, 'Good morning.')
          assert.partialDeepStrictEqual(said.usage_metadata, { output_tokens: 2 })
        })

        test('streams', async () => {
          const chunks: AIMessageChunk[] = []
          for await (const chunk of await chat().stream('mock:words 40')) chunks.push(chunk)
          const whole = together(chunks)
          assert.ok(chunks.length > 30)
          assert.equal(whole.text.split(' ').length, 40)
          assert.partialDeepStrictEqual(whole.usage_metadata, { output_tokens: 40 })
        })

        for (const streamed of [false, true])
          test(`runs tools${streamed ? ' from streams' : ''}`, async () => {
            const asked = new HumanMessage(
              'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}',
            )
            const withTools = chat().bindTools([weather])
            // Its option `streaming` is not used, as it downloads tables to count tokens.
            const turn = async (messages: readonly BaseMessage[]) => {
              if (!streamed) return withTools.invoke([...messages])
              const chunks: AIMessageChunk[] = []
              for await (const chunk of await withTools.stream([...messages])) chunks.push(chunk)
              return together(chunks)
            }
            const first = await turn([asked])
            assert.equal(first.text, 'Let me look.')
            assert.deepEqual(
              first.tool_calls?.map(({ name, args }) => [name, args]),
              [
                ['weather', { city: 'Bern' }],
                ['weather', { city: 'Rome' }],
              ],
            )
            const results = first.tool_calls.map(
              ({ id }, i) => new ToolMessage({ tool_call_id: id ?? '', content: `${20 + i} degrees` }),
            )
            const second = await turn([asked, first, ...results])
            assert.match(second.text, /^(.+) answered: 20 degrees \1 answered: 21 degrees$/)
          })

        test('receives structured output', async () => {
          const said = await chat()
            .withStructuredOutput(colour, { name: 'colour', method: 'jsonSchema' })
            .invoke('A colour, please.')
          assert.deepEqual(said, { name: 'red', strength: 1 })
        })

        test('throws errors', async () => {
          await assert.rejects(
            chat().invoke('mock:error 429 It fails.'),
            (error) => error instanceof Error && 'status' in error && error.status === 429,
          )
        })
      })

  test('embeds', async () => {
    for (const model of ['plain', 'by-completions']) {
      const embeddings = new OpenAIEmbeddings({
        model,
        apiKey: 'anything',
        configuration: { baseURL: `${mocks.origin}/v1` },
      })
      assert.equal((await embeddings.embedQuery('red apple')).length, 256)
      assert.equal((await embeddings.embedDocuments(['red apple', 'cloud'])).length, 2)
    }
  })
})

const together = (chunks: readonly AIMessageChunk[]): AIMessageChunk =>
  chunks.reduce((whole, chunk) => whole.concat(chunk))

const weather = {
  type: 'function' as const,
  function: {
    name: 'weather',
    description: 'The weather in a city',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}

const colour = {
  type: 'object',
  properties: { name: { type: 'string', enum: ['red', 'blue'] }, strength: { type: 'integer', minimum: 1 } },
  required: ['name', 'strength'],
  additionalProperties: false,
}
