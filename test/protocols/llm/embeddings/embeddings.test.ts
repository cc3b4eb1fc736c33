import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { test } from 'node:test'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import fc from 'fast-check'
import type { LlmProviderKind } from '../../../../src/model/llm/llm-backend.ts'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import {
  embeddingsReplyAttributes,
  embeddingsRequestAttributes,
} from '../../../../src/protocols/llm/embeddings/attributes.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import { translateCall } from '../../../../src/protocols/llm/translate-call.ts'
import type { TranslatedCall } from '../../../../src/protocols/llm/translated-call.ts'
import { checkGoldenCalls } from '../golden-calls.ts'

checkGoldenCalls(new URL('golden/', import.meta.url), 'embeddings')

const models: readonly (readonly [LlmProviderKind, string])[] = [
  ['vertex', 'text-embedding-005'],
  ['bedrock', 'amazon.titan-embed-text-v2:0'],
  ['bedrock', 'cohere.embed-english-v3'],
  ['bedrock', 'amazon.nova-2-multimodal-embeddings-v1:0'],
]

const translated = (kind: LlmProviderKind, model: string, body: JsonObject): TranslatedCall => {
  const translate = translateCall(kind, { hostOverridden: false }, 'embeddings', model)
  assert.ok(translate)
  return translate(body, model, new Losses())
}

const none = { get: () => undefined }

test('an embeddings request is refused', async (t) => {
  for (const [body, message] of [
    [{}, 'input is missing'],
    [{ input: null }, 'input is missing'],
    [{ input: 5 }, 'input must be a string or a list of strings'],
    [{ input: [] }, 'input must not be empty'],
    [{ input: [1, 2] }, 'input holds tokens, and this provider takes text only'],
    [{ input: [[1], [2]] }, 'input holds tokens, and this provider takes text only'],
    [{ input: ['a', {}] }, 'input[1] must be a string'],
    [{ input: 'a', dimensions: '1' }, 'dimensions must be a number'],
    [{ input: 'a', encoding_format: 'hex' }, 'encoding_format must be "float" or "base64"'],
    [{ input: 'a', encoding_format: 1 }, 'encoding_format must be a string'],
  ] as const)
    for (const [kind, model] of models)
      await t.test(`by ${model} with “${message}”: ${JSON.stringify(body)}`, () => {
        assert.throws(
          () => translated(kind, model, body),
          (error) => {
            assert.ok(error instanceof BadRequest)
            assert.equal(error.message, message)
            return true
          },
        )
      })

  await t.test('if a model accepts one text and gets two', () => {
    for (const model of ['amazon.titan-embed-text-v2:0', 'amazon.nova-2-multimodal-embeddings-v1:0'])
      assert.throws(
        () => translated('bedrock', model, { input: ['a', 'b'] }),
        /^Error: input must be one text: this model takes one at a time$/,
      )
  })
})

test('an invalid embeddings response is detected', async (t) => {
  for (const [kind, model, answer] of [
    ['vertex', 'm', {}],
    ['vertex', 'm', { predictions: {} }],
    ['vertex', 'm', { predictions: [{}] }],
    ['vertex', 'm', { predictions: [{ embeddings: { values: [] } }] }],
    ['vertex', 'm', { predictions: [{ embeddings: { values: ['1'] } }] }],
    ['vertex', 'm', { predictions: [{ embeddings: { values: [1] } }, { embeddings: { values: [1] } }] }],
    ['bedrock', 'amazon.titan-embed-text-v2:0', { embedding: 1 }],
    ['bedrock', 'amazon.titan-embed-text-v2:0', { message: 'no' }],
    ['bedrock', 'cohere.embed-english-v3', { embeddings: {} }],
    ['bedrock', 'cohere.embed-english-v3', { embeddings: [1] }],
    ['bedrock', 'amazon.nova-2-multimodal-embeddings-v1:0', { embeddings: [] }],
  ] as const)
    await t.test(`${model}: ${JSON.stringify(answer)}`, () => {
      const { reply } = translated(kind, model, { input: 'a' })
      assert.throws(() => reply(answer, none), BadReply)
    })

  await t.test('whatever it contains', () => {
    fc.assert(
      fc.property(fc.constantFrom(...models), fc.object({ withBigInt: false }), ([kind, model], answer) => {
        const { reply } = translated(kind, model, { input: 'a' })
        try {
          reply(answer, none)
        } catch (error) {
          assert.ok(error instanceof BadReply)
        }
      }),
    )
  })
})

test('a usage header without a number is ignored', () => {
  const { reply } = translated('bedrock', 'cohere.embed-english-v3', { input: 'a' })
  for (const said of ['', '-1', '1e3', 'NaN', '9'.repeat(20)])
    assert.equal(reply({ embeddings: [[1]] }, { get: () => said }).usage, undefined)
})

test("base64 numbers are decoded by OpenAI's client unchanged", async () => {
  const vector = [0.1, -2.5, 1e-7, 3]
  const { reply } = translated('vertex', 'm', { input: 'a', encoding_format: 'base64' })
  const text = JSON.stringify(reply({ predictions: [{ embeddings: { values: vector } }] }, none))
  const server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    const { port } = server.address() as AddressInfo
    const client = new OpenAI({ apiKey: 'k', baseURL: `http://127.0.0.1:${String(port)}/v1`, maxRetries: 0 })
    const { data } = await client.embeddings.create({ model: 'm', input: 'a' })
    assert.deepEqual(Array.from(data[0]?.embedding ?? []), Array.from(new Float32Array(vector)))
  } finally {
    server.closeAllConnections()
    server.close()
  }
})

test('the attributes of embeddings', async (t) => {
  await t.test('are those of the request', () => {
    assert.deepEqual(
      embeddingsRequestAttributes({ model: 'm', encoding_format: 'base64', dimensions: 3, input: [] }),
      {
        model: 'm',
        streaming: false,
        encodingFormat: 'base64',
        dimensions: 3,
      },
    )
    assert.deepEqual(embeddingsRequestAttributes({ model: 1, encoding_format: {}, dimensions: '3' }), {
      model: undefined,
      streaming: false,
      encodingFormat: undefined,
      dimensions: undefined,
    })
  })

  await t.test('are those of the response', () => {
    assert.deepEqual(
      embeddingsReplyAttributes({ model: 'm', usage: { prompt_tokens: 5, total_tokens: 6 } }),
      {
        model: 'm',
        usage: { inputTokens: 5, totalTokens: 6, providerInputTokens: 5, providerTotalTokens: 6 },
      },
    )
  })

  await t.test('are unknown rather than zero', () => {
    for (const usage of [undefined, null, {}, { prompt_tokens: '5' }, { prompt_tokens: -1 }, []])
      assert.deepEqual(embeddingsReplyAttributes({ usage }), { model: undefined, usage: undefined })
  })
})
