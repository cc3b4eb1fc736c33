import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { LlmProviderKind } from '../../../../src/model/llm/llm-backend.ts'
import type { JsonObject } from '../../../../src/protocols/json/json-object.ts'
import { BadReply, BadRequest } from '../../../../src/protocols/llm/chat/codec.ts'
import { Losses } from '../../../../src/protocols/llm/dropped-fields.ts'
import {
  rerankReplyAttributes,
  rerankRequestAttributes,
} from '../../../../src/protocols/llm/rerank/attributes.ts'
import { translateCall } from '../../../../src/protocols/llm/translate-call.ts'
import type { TranslatedCall } from '../../../../src/protocols/llm/translated-call.ts'
import { checkGoldenCalls } from '../golden-calls.ts'

checkGoldenCalls(new URL('golden/', import.meta.url), 'rerank')

const translated = (kind: LlmProviderKind, body: JsonObject, region = 'r'): TranslatedCall => {
  const translate = translateCall(kind, { hostOverridden: false, region }, 'rerank', 'm')
  assert.ok(translate)
  return translate(body, 'm', new Losses())
}

const none = { get: () => undefined }
const asked = { query: 'q', documents: ['a', 'b'] }

test('a rerank request is refused', async (t) => {
  for (const [body, message] of [
    [{ documents: ['a'] }, 'query is missing'],
    [{ query: 1, documents: ['a'] }, 'query must be a string'],
    [{ query: 'q' }, 'documents is missing'],
    [{ query: 'q', documents: 'a' }, 'documents must be a list'],
    [{ query: 'q', documents: [] }, 'documents must not be empty'],
    [{ query: 'q', documents: ['a', 1] }, 'documents[1] must be a string or an object'],
    [{ ...asked, top_n: 0 }, 'top_n must be a positive integer'],
    [{ ...asked, top_n: 1.5 }, 'top_n must be a positive integer'],
    [{ ...asked, return_documents: 'yes' }, 'return_documents must be a boolean'],
  ] as const)
    for (const kind of ['vertex', 'bedrock'] as const)
      await t.test(`by ${kind} with “${message}”`, () => {
        assert.throws(
          () => translated(kind, body),
          (error) => {
            assert.ok(error instanceof BadRequest)
            assert.equal(error.message, message)
            return true
          },
        )
      })

  await t.test('if a document has no text and Vertex needs one', () => {
    assert.throws(() => translated('vertex', { query: 'q', documents: [{ title: 'a' }] }), BadRequest)
  })
})

test('models in government regions have their own names', () => {
  const { body } = translated('bedrock', asked, 'us-gov-west-1')
  assert.match(JSON.stringify(body), /"modelArn":"arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model\/m"/)
})

test('a Vertex response without details has the order', () => {
  const { reply } = translated('vertex', { ...asked, return_documents: true })
  assert.deepEqual(reply({ records: [{ id: '1' }, { id: '0' }] }, none), {
    results: [
      { index: 1, relevance_score: 1, document: { text: 'b' } },
      { index: 0, relevance_score: 1, document: { text: 'a' } },
    ],
  })
  assert.deepEqual(reply({ records: [] }, none), { results: [] })
})

test('an invalid rerank response is detected', async (t) => {
  for (const [kind, answer] of [
    ['vertex', { records: {} }],
    ['vertex', { records: [{ score: 1 }] }],
    ['vertex', { records: [{ id: '0' }, { id: '1', score: 1 }] }],
    ['vertex', { records: [{ id: '2', score: 1 }] }],
    ['vertex', { records: [{ id: 'x', score: 1 }] }],
    ['vertex', { records: [{ id: '', score: 1 }] }],
    ['bedrock', { results: 1 }],
    ['bedrock', { results: [{ index: 0 }] }],
    ['bedrock', { results: [{ relevanceScore: 1 }] }],
    ['bedrock', { results: [{ index: -1, relevanceScore: 1 }] }],
    ['bedrock', { results: [{ index: 0.5, relevanceScore: 1 }] }],
    ['bedrock', { results: [{ index: '0', relevanceScore: 1 }] }],
  ] as const)
    await t.test(`${kind}: ${JSON.stringify(answer)}`, () => {
      const { reply } = translated(kind, asked)
      assert.throws(() => reply(answer, none), BadReply)
    })

  await t.test('whatever it contains', () => {
    fc.assert(
      fc.property(fc.constantFrom('vertex', 'bedrock'), fc.object(), (kind, answer) => {
        const { reply } = translated(kind, asked)
        try {
          reply(answer, none)
        } catch (error) {
          assert.ok(error instanceof BadReply)
        }
      }),
    )
  })
})

test('the attributes of a rerank call', async (t) => {
  await t.test('are those of the request', () => {
    assert.deepEqual(rerankRequestAttributes({ model: 'm', ...asked }), { model: 'm', streaming: false })
    assert.deepEqual(rerankRequestAttributes({ model: [] }), { model: undefined, streaming: false })
  })

  await t.test("are in the response's meta, for Cohere", () => {
    const meta = { billed_units: { search_units: 1 }, tokens: { input_tokens: 10, output_tokens: 2 } }
    assert.deepEqual(rerankReplyAttributes({ results: [], meta }).usage, {
      inputTokens: 10,
      outputTokens: 2,
      totalTokens: 12,
      providerInputTokens: 10,
      providerTotalTokens: undefined,
    })
  })

  await t.test('are in the usage, for others', () => {
    assert.deepEqual(rerankReplyAttributes({ model: 'm', usage: { total_tokens: 7 } }), {
      model: 'm',
      usage: {
        inputTokens: 7,
        outputTokens: undefined,
        totalTokens: 7,
        providerInputTokens: undefined,
        providerTotalTokens: 7,
      },
    })
  })

  await t.test('are unknown rather than zero', () => {
    for (const body of [{}, { meta: null }, { meta: { billed_units: { search_units: 1 } } }, { usage: 'x' }])
      assert.equal(rerankReplyAttributes(body).usage, undefined)
  })
})
