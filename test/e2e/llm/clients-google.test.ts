import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  ApiError,
  type Content,
  FinishReason,
  type FunctionDeclaration,
  type GenerateContentParameters,
  type GenerateContentResponse,
  GoogleGenAI,
  Type,
  createPartFromFunctionResponse,
} from '@google/genai'
import { type MockModel, type Mocks, startMocks } from '../../support/llm/mocks.ts'
import { redDot } from '../../support/llm/red-dot.ts'

/** The models for the official client: its own format, and one that needs translation. */
const models: readonly MockModel[] = ['plain', 'by-completions']

suite('the Google client', () => {
  let mocks: Mocks
  let client: GoogleGenAI
  before(async () => {
    mocks = await startMocks()
    client = new GoogleGenAI({ apiKey: 'anything', httpOptions: { baseUrl: mocks.origin } })
  })
  after(() => mocks[Symbol.asyncDispose]())

  test('lists models', async () => {
    const names: string[] = []
    for await (const { name = '' } of await client.models.list()) names.push(name)
    const models = ['by-completions', 'by-gemini', 'by-messages', 'by-responses', 'plain']
    assert.deepEqual(
      names.toSorted(),
      models.map((name) => `models/${name}`),
    )
  })

  test('embeds texts', async () => {
    const { embeddings } = await client.models.embedContent({
      model: 'plain',
      contents: ['red apple', 'cloud'],
      config: { outputDimensionality: 16 },
    })
    assert.deepEqual(
      embeddings?.map(({ values }) => values?.length),
      [16, 16],
    )
  })

  for (const model of models)
    suite(`with ${model}`, () => {
      test('generates content', async () => {
        const said = await client.models.generateContent({
          model,
          contents: 'mock:say Good morning.',
          config: { systemInstruction: 'Be brief.' },
        })
        assert.equal(said.text, 'Good morning.')
        assert.equal(said.candidates?.[0]?.finishReason, FinishReason.STOP)
        assert.equal(said.usageMetadata?.candidatesTokenCount, 2)
        assert.equal(said.modelVersion, model)
      })

      test('streams content', async () => {
        const pieces: string[] = []
        let last: GenerateContentResponse | undefined
        for await (const chunk of await client.models.generateContentStream({
          model,
          contents: 'mock:words 40',
        })) {
          pieces.push(chunk.text ?? '')
          last = chunk
        }
        assert.ok(pieces.length > 30)
        assert.equal(pieces.join('').trim().split(' ').length, 40)
        assert.equal(last?.candidates?.[0]?.finishReason, FinishReason.STOP)
        assert.equal(last.usageMetadata?.candidatesTokenCount, 40)
      })

      for (const streamed of [false, true])
        test(`calls functions in parallel, and sends their results${streamed ? ', streamed' : ''}`, async () => {
          const told =
            'mock:say Let me look. mock:tool weather {"city":"Bern"} mock:tool weather {"city":"Rome"}'
          const asked: Content = { role: 'user', parts: [{ text: told }] }
          const config = { tools: [{ functionDeclarations: [weather] }] }
          const first = await turn(client, { model, contents: [asked], config }, streamed)
          assert.equal(first.text, 'Let me look.')
          assert.deepEqual(
            first.calls.map(({ name, args }) => [name, args]),
            [
              ['weather', { city: 'Bern' }],
              ['weather', { city: 'Rome' }],
            ],
          )
          const results: Content = {
            role: 'user',
            parts: first.calls.map(({ id }, i) =>
              createPartFromFunctionResponse(id ?? '', 'weather', { output: `${20 + i} degrees` }),
            ),
          }
          const second = await turn(
            client,
            { model, contents: [asked, first.content, results], config },
            streamed,
          )
          assert.match(second.text, /^(.+) answered: 20 degrees \1 answered: 21 degrees$/)
        })

      test('receives structured output', async () => {
        const said = await client.models.generateContent({
          model,
          contents: 'A colour, please.',
          config: {
            responseMimeType: 'application/json',
            responseSchema: {
              type: Type.OBJECT,
              properties: {
                name: { type: Type.STRING, enum: ['red', 'blue'] },
                strong: { type: Type.BOOLEAN },
              },
              required: ['name', 'strong'],
            },
          },
        })
        assert.partialDeepStrictEqual(JSON.parse(said.text ?? ''), { name: 'red' })
      })

      test('receives thoughts', async () => {
        for (const streamed of [false, true]) {
          const said = await turn(
            client,
            {
              model,
              contents: 'mock:think Hm, greetings. mock:say Hello.',
              config: { thinkingConfig: { includeThoughts: true } },
            },
            streamed,
          )
          const thoughts = said.content.parts.filter(({ thought }) => thought === true)
          assert.equal(thoughts.map(({ text }) => text).join(''), 'Hm, greetings.')
          assert.equal(said.text, 'Hello.')
        }
      })

      test('sends images', async () => {
        const said = await client.models.generateContent({
          model,
          contents: [{ text: 'What is it?' }, { inlineData: { mimeType: 'image/png', data: redDot } }],
        })
        assert.equal(said.text, 'Hello from the mock model! You said: What is it?')
        assert.ok((said.usageMetadata?.promptTokenCount ?? 0) >= 100)
      })

      test('receives finish reasons', async () => {
        const cut = await client.models.generateContent({
          model,
          contents: 'mock:words 40',
          config: { maxOutputTokens: 5 },
        })
        assert.equal(cut.candidates?.[0]?.finishReason, FinishReason.MAX_TOKENS)
      })

      test('throws errors', async () => {
        for (const status of [400, 401, 403, 404, 429, 500, 503]) {
          const ask = { model, contents: `mock:error ${status} It fails.` }
          for (const asks of [
            () => client.models.generateContent(ask),
            () => client.models.generateContentStream(ask),
          ])
            await assert.rejects(asks, (error) => {
              assert.ok(error instanceof ApiError, String(error))
              assert.equal(error.status, status)
              assert.match(error.message, /It fails\./)
              return true
            })
        }
      })

      test('throws an error from the middle of a stream', async () => {
        for (const [told, why] of [
          ['mock:error-mid 5', /told to fail in the middle/],
          ['mock:cut 5', /upstream call failed/],
        ] as const)
          await assert.rejects(turn(client, { model, contents: `${told} mock:words 40` }, true), (error) => {
            assert.ok(error instanceof ApiError, String(error))
            assert.match(error.message, why)
            return true
          })
      })
    })

  test('counts tokens', async () => {
    for (const model of ['plain', 'by-gemini']) {
      const { totalTokens } = await client.models.countTokens({ model, contents: 'Four words are here.' })
      assert.equal(totalTokens, 4)
    }
  })
})

/** The reply of a model, whole or streamed. */
const turn = async (client: GoogleGenAI, ask: GenerateContentParameters, streamed: boolean) => {
  const chunks: GenerateContentResponse[] = []
  if (streamed) for await (const chunk of await client.models.generateContentStream(ask)) chunks.push(chunk)
  else chunks.push(await client.models.generateContent(ask))
  const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
  return {
    content: { role: 'model', parts } satisfies Content,
    text: parts.map(({ text, thought }) => (thought === true ? '' : (text ?? ''))).join(''),
    calls: parts.flatMap(({ functionCall }) => functionCall ?? []),
  }
}

const weather: FunctionDeclaration = {
  name: 'weather',
  description: 'The weather in a city',
  parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
}
