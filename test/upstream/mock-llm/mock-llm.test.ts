import assert from 'node:assert/strict'
import { test } from 'node:test'
import { BufferBody } from '../../../src/model/exchange/body.ts'
import { Fault } from '../../../src/model/exchange/fault.ts'
import { backend } from '../../../src/operators/backend/http.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { type LlmStreamFormat, LlmStreamValidator } from '../../../src/testing/llm-streams/validator.ts'
import { ManualBody } from '../../../src/testing/manual-body.ts'
import { TraceRecorder } from '../../../src/testing/trace-recorder.ts'
import { runAsync } from '../../../src/testing/run.ts'
import { MockLlm } from '../../../src/upstream/mock-llm/mock-llm.ts'

const mock = backend(new MockLlm({ name: 'mock', type: 'ai', protocol: 'llm' }))

const ask = async (path: string, body: unknown) => {
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  const { reply, upstream } = await runAsync(mock, exchange({ method: 'POST', path, body: content }))
  assert.ok(reply)
  const bytes = await reply.body.read(10_000_000)
  return { status: reply.status, headers: reply.headers, text: bytes.toString(), endpoint: upstream.endpoint }
}

const json = async (path: string, body: unknown): Promise<unknown> =>
  JSON.parse((await ask(path, body)).text) as unknown

/** The same prompt in each format, and its path. */
const chats: Readonly<
  Record<LlmStreamFormat, (said: string, streaming?: boolean) => readonly [string, Record<string, unknown>]>
> = {
  completions: (said, stream = false) => [
    '/v1/chat/completions',
    {
      model: 'fast',
      stream,
      stream_options: { include_usage: true },
      messages: [{ role: 'user', content: said }],
    },
  ],
  messages: (said, stream = false) => [
    '/v1/messages',
    { model: 'fast', max_tokens: 1000, stream, messages: [{ role: 'user', content: said }] },
  ],
  responses: (said, stream = false) => ['/v1/responses', { model: 'fast', stream, input: said }],
  generateContent: (said, stream = false) => [
    `/v1beta/models/fast:${stream ? 'streamGenerateContent' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text: said }] }] },
  ],
}
const formats = Object.keys(chats) as LlmStreamFormat[]

test('the mock LLM', async (t) => {
  await t.test('replies to OpenAI chat completions', async () => {
    const { id, ...rest } = (await json(
      ...chats.completions('mock:say Hi there mock:usage 100 20 cached=50'),
    )) as {
      id: string
    }
    assert.match(id, /^chatcmpl-[0-9a-f]{24}$/)
    assert.partialDeepStrictEqual(rest, {
      object: 'chat.completion',
      model: 'fast',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi there' }, finish_reason: 'stop' }],
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 50 },
      },
    })
  })

  await t.test('replies to Anthropic messages', async () => {
    const said = 'mock:think hm\nmock:say Hi\nmock:tool weather {"city":"Oslo"} mock:usage 100 20 cached=50'
    assert.partialDeepStrictEqual(await json(...chats.messages(said)), {
      type: 'message',
      role: 'assistant',
      model: 'fast',
      content: [
        { type: 'thinking', thinking: 'hm' },
        { type: 'text', text: 'Hi' },
        { type: 'tool_use', name: 'weather', input: { city: 'Oslo' } },
      ],
      stop_reason: 'tool_use',
      usage: { input_tokens: 50, cache_read_input_tokens: 50, output_tokens: 20 },
    })
  })

  await t.test('replies to OpenAI responses', async () => {
    assert.partialDeepStrictEqual(await json(...chats.responses('mock:say Hi\nmock:tool a {"b":1}')), {
      object: 'response',
      status: 'completed',
      output: [
        { type: 'message', content: [{ type: 'output_text', text: 'Hi' }] },
        { type: 'function_call', name: 'a', arguments: '{"b":1}' },
      ],
    })
  })

  await t.test('replies to Gemini', async () => {
    assert.partialDeepStrictEqual(await json(...chats.generateContent('mock:say Hi mock:finish length')), {
      candidates: [{ content: { role: 'model', parts: [{ text: 'Hi' }] }, finishReason: 'MAX_TOKENS' }],
      modelVersion: 'fast',
    })
  })

  await t.test('counts tokens', async () => {
    const [, { max_tokens: _, ...body }] = chats.messages('one two three')
    assert.deepEqual(await json('/anthropic/v1/messages/count_tokens', body), { input_tokens: 3 })
    const contents = [{ role: 'user', parts: [{ text: 'one two' }] }]
    assert.deepEqual(await json('/v1beta/models/fast:countTokens', { contents }), { totalTokens: 2 })
    const generateContentRequest = { model: 'models/fast', contents }
    assert.deepEqual(await json('/v1beta/models/fast:countTokens', { generateContentRequest }), {
      totalTokens: 2,
    })
  })

  await t.test('matches the end of a path, whatever its prefix', async () => {
    const [, body] = chats.completions('hi')
    for (const path of ['/openai/v1/chat/completions', '/chat/completions', '/a/b/chat/completions/'])
      assert.equal((await ask(path, body)).status, 200)
  })

  for (const format of formats) {
    await t.test(`sends a valid stream with all features in the format ${format}`, async () => {
      const said = 'mock:think well, well\nmock:words 50\nmock:tool a {"b":[1,2]} mock:tool c'
      const { text, headers } = await ask(...chats[format](said, true))
      assert.equal(headers.get('content-type'), 'text/event-stream')
      const validator = new LlmStreamValidator(format)
      validator.push(text)
      assert.deepEqual(validator.end(), [])
      assert.match(text, /" lamp"/)
    })

    await t.test(`sends a valid stream that ends with an error in the format ${format}`, async () => {
      const { status, text } = await ask(...chats[format]('mock:error-mid 5 mock:words 50', true))
      const validator = new LlmStreamValidator(format)
      validator.push(text)
      assert.deepEqual([status, validator.end()], [200, []])
      assert.match(text, /The mock was told to fail in the middle\./)
      assert.doesNotMatch(text, /light/)
    })

    await t.test(`aborts the connection of a stream in the format ${format}`, async () => {
      await assert.rejects(ask(...chats[format]('mock:cut 3 mock:words 50', true)), {
        code: 'upstream_failed',
      })
      await assert.rejects(ask(...chats[format]('mock:cut 0', true)), { code: 'upstream_failed' })
      await assert.rejects(ask(...chats[format]('mock:cut 3')), { code: 'upstream_failed' })
    })

    await t.test(`refuses in the format ${format}, with Retry-After`, async () => {
      for (const streaming of [true, false]) {
        const { status, headers, text } = await ask(...chats[format]('mock:error 429 slow down', streaming))
        assert.deepEqual([status, headers.get('retry-after')], [429, '1'])
        const error = (JSON.parse(text) as { error: { message: string } }).error
        assert.equal(error.message, 'slow down')
      }
      const later = await ask(...chats[format]('mock:error 503 retry-after=9'))
      assert.deepEqual([later.status, later.headers.get('retry-after')], [503, '9'])
      const never = await ask(...chats[format]('mock:error 400'))
      assert.deepEqual([never.status, never.headers.get('retry-after')], [400, undefined])
    })

    await t.test(
      `replies the same to equal requests in the format ${format}, and differently to others`,
      async () => {
        for (const streaming of [true, false]) {
          const said = 'mock:think a\nmock:words 9\nmock:tool x'
          const one = await ask(...chats[format](said, streaming))
          assert.equal((await ask(...chats[format](said, streaming))).text, one.text)
          assert.notEqual((await ask(...chats[format](`${said} `, streaming))).text, one.text)
        }
      },
    )

    await t.test(`reports an invalid request in the format ${format}`, async () => {
      for (const body of [
        '',
        '{',
        '[]',
        '{"model":"m","max_tokens":1,"messages":7,"input":7,"contents":7}',
      ]) {
        const { status, text } = await ask(chats[format]('')[0], body)
        assert.equal(status, 400, body)
        assert.ok((JSON.parse(text) as { error: { message: string } }).error.message.length > 10)
      }
    })
  }

  await t.test("creates embeddings in Gemini's format, of one text and of several", async () => {
    const content = (text: string) => ({ parts: [{ text }] })
    const path = '/v1beta/models/gemini-embedding-001:'
    const one = (await json(`${path}embedContent`, {
      content: content('red apple'),
      outputDimensionality: 8,
    })) as { readonly embedding: { readonly values: readonly number[] }; readonly usageMetadata: unknown }
    assert.equal(one.embedding.values.length, 8)
    assert.deepEqual(one.usageMetadata, { promptTokenCount: 2, totalTokenCount: 2 })
    const { data } = (await json('/v1/embeddings', { model: 'e', input: 'red apple', dimensions: 8 })) as {
      readonly data: readonly { readonly embedding: readonly number[] }[]
    }
    assert.deepEqual(one.embedding.values, data[0]?.embedding)
    const requests = ['red apple', 'cloud'].map((text) => ({
      model: 'models/gemini-embedding-001',
      content: content(text),
    }))
    const { embeddings } = (await json(`${path}batchEmbedContents`, { requests })) as {
      readonly embeddings: readonly { readonly values: readonly number[] }[]
    }
    assert.deepEqual(
      embeddings.map(({ values }) => values.length),
      [256, 256],
    )
    const said = content('mock:error 429 mock:say no')
    const refused = await ask(`${path}embedContent`, { content: said })
    assert.equal(refused.status, 429)
    assert.equal(
      (JSON.parse(refused.text) as { error: { status: string } }).error.status,
      'RESOURCE_EXHAUSTED',
    )
    for (const wrong of [
      {},
      { content: 'a' },
      { content: { parts: [] } },
      { content: { parts: [{ inlineData: {} }] } },
      { content: content('a'), outputDimensionality: 0 },
    ])
      assert.equal((await ask(`${path}embedContent`, wrong)).status, 400, JSON.stringify(wrong))
    for (const wrong of [{}, { requests: [] }, { requests: [1] }, { requests: [{}] }])
      assert.equal((await ask(`${path}batchEmbedContents`, wrong)).status, 400, JSON.stringify(wrong))
    assert.equal((await ask(`${path}asyncBatchEmbedContent`, {})).status, 404)
  })

  await t.test('creates embeddings: of length 1, similar for similar texts, in either encoding', async () => {
    const embed = async (more: object) => {
      const { data } = (await json('/v1/embeddings', { model: 'e', ...more })) as {
        data: { embedding: never }[]
      }
      return data.map(({ embedding }) => embedding) as (number[] | string)[]
    }
    const input = ['red apples', 'apples, red!', 'blue sky', '']
    const vectors = (await embed({ input, dimensions: 64 })) as number[][]
    const [a = [], b = [], c = [], nothing = []] = vectors
    assert.deepEqual(
      vectors.map(({ length }) => length),
      [64, 64, 64, 64],
    )
    assert.deepEqual(a, b)
    const product = (one: number[], other: number[]) =>
      one.reduce((sum, value, i) => sum + value * (other[i] ?? 0), 0)
    assert.ok(Math.abs(product(a, a) - 1) < 1e-6 && Math.abs(product(nothing, nothing) - 1) < 1e-6)
    assert.ok(product(a, c) < 0.6)
    const [packed] = (await embed({
      input: 'red apples',
      dimensions: 64,
      encoding_format: 'base64',
    })) as string[]
    const bytes = Buffer.from(packed ?? '', 'base64')
    assert.deepEqual(
      a.map((_, i) => bytes.readFloatLE(i * 4)),
      a.map(Math.fround),
    )
    assert.equal((await embed({ input: [[1, 2], [3]] })).length, 2)
    assert.equal((await embed({ input: [1, 2] })).length, 1)
    assert.equal((await ask('/v1/embeddings', { model: 'e', input: 'mock:error 429' })).status, 429)
    for (const wrong of [
      { input: 7 },
      { input: [] },
      { input: [{}] },
      { input: 'a', dimensions: 0 },
      { input: 'a', model: 1 },
    ])
      assert.equal((await ask('/v1/embeddings', { model: 'e', ...wrong })).status, 400)
  })

  await t.test('ranks documents by the words that they share with the query', async () => {
    const body = { model: 'r', query: 'red apples', documents: ['blue sky', { text: 'apples that are red' }] }
    const { id, ...ranked } = (await json('/v2/rerank', { ...body, return_documents: true })) as {
      id: string
      results: { index: number; relevance_score: number; document: unknown }[]
    }
    assert.match(id, /^[0-9a-f]{24}$/)
    assert.deepEqual(
      ranked.results.map(({ index, document }) => [index, document]),
      [
        [1, { text: 'apples that are red' }],
        [0, { text: 'blue sky' }],
      ],
    )
    const [first, second] = ranked.results
    assert.ok(first && second && first.relevance_score > second.relevance_score && first.relevance_score <= 1)
    assert.partialDeepStrictEqual(ranked, {
      meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: 8 } },
    })
    const { results } = (await json('/v1/rerank', { ...body, top_n: 1 })) as { results: unknown[] }
    assert.equal(results.length, 1)
    for (const wrong of [{ query: 1 }, { documents: 'a' }, { documents: [1] }, { model: undefined }])
      assert.equal((await ask('/v1/rerank', { ...body, ...wrong })).status, 400)
  })

  await t.test('replies 404 to other paths', async () => {
    const { status, text } = await ask('/v1/files', {})
    assert.equal(status, 404)
    assert.match(text, /The mock has nothing here\. It knows paths that end in \/chat\/completions, /)
  })

  await t.test('identifies itself in its replies', async () => {
    assert.equal((await ask(...chats.completions('hi'))).endpoint, 'mock')
  })

  await t.test('reports its calls to the trace', async () => {
    const trace = new TraceRecorder()
    const [path, body] = chats.completions('hi')
    await runAsync(mock, exchange({ method: 'POST', path, body: JSON.stringify(body), trace }))
    const told = trace.entries.filter(({ type }) => type === 'backendCallStart')
    assert.ok(trace.snapshots.includes('final request'))
    assert.deepEqual(told, [{ type: 'backendCallStart', target: 'mock' }])
  })

  await t.test('accepts a body that is incomplete, and fails if that is aborted', async () => {
    const [path, body] = chats.completions('mock:say late')
    const late = new ManualBody()
    const coming = runAsync(mock, exchange({ method: 'POST', path, body: late }))
    late.send(JSON.stringify(body))
    late.end()
    const { reply } = await coming
    assert.match(String(await reply?.body.read(10_000)), /late/)
    const broken = new ManualBody()
    const failing = runAsync(mock, exchange({ method: 'POST', path, body: broken }))
    broken.fail(new Fault('gone', 'gone'))
    await assert.rejects(failing, { code: 'request_body_broken' })
  })

  await t.test('may be called again with the same body', async () => {
    const [path, body] = chats.completions('hi')
    const x = exchange({ method: 'POST', path, body: new BufferBody(JSON.stringify(body)) })
    assert.equal((await runAsync(mock, x)).reply?.status, 200)
    x.reply = undefined
    assert.equal((await runAsync(mock, x)).reply?.status, 200)
  })
})
