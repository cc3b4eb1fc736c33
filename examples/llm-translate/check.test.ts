import assert from 'node:assert/strict'
import { test } from 'node:test'
import { EventParser, translations, upstreamFormat } from 'agentgateway/protocols/llm'
import { llmStreamViolations } from 'agentgateway/testing'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { asChunks, asMessages } from './translate.ts'

test('examples/llm-translate', async (t) => {
  await using daemon = await startExample('llm-translate')
  const post = (path: string, body: object) =>
    sendRequest(daemon.url('default'), path, { method: 'POST', body: JSON.stringify(body) })
  const saying = (content: string) => ({ messages: [{ role: 'user', content }] })

  await t.test('serves an OpenAI client from a model with the Anthropic format only', async () => {
    const { status, text, headers } = await post('/v1/chat/completions', {
      model: 'like-anthropic',
      logit_bias: { 7: 1 },
      ...saying('hi'),
    })
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(JSON.parse(text), {
      object: 'chat.completion',
      choices: [{ message: { content: 'Hello from the mock model! You said: hi' }, finish_reason: 'stop' }],
    })
    assert.equal(headers['x-gateway-dropped'], 'logit_bias')
  })

  await t.test('streams a tool call to an Anthropic client', async () => {
    const { text } = await post('/v1/messages', {
      ...{ model: 'like-openai', max_tokens: 99, stream: true },
      ...saying('mock:tool weather {"city":"Rome"}'),
    })
    assert.deepEqual(llmStreamViolations('messages', text), [])
    assert.match(text, /"type":"tool_use"/)
    assert.match(text, /"stop_reason":"tool_use"/)
  })

  await t.test('serves an OpenAI Responses client from both models', async () => {
    for (const model of ['like-openai', 'like-anthropic']) {
      const { status, text } = await post('/v1/responses', { model, input: 'hi', stream: true })
      assert.equal(status, 200)
      assert.deepEqual(llmStreamViolations('responses', text), [])
    }
  })

  await t.test('refuses what cannot be translated', async () => {
    const path = '/v1beta/models/like-anthropic:generateContent'
    const { status, text } = await post(path, { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })
    assert.equal(status, 400)
    assert.match(text, /unsupported conversion/)
    assert.equal(upstreamFormat('generateContent', ['messages']), undefined)
    assert.ok(translations.generateContent.length > 1)
  })

  await t.test('translates in a program as well', async () => {
    const { body, dropped } = asMessages({ model: 'm', seed: 1, ...saying('hi') })
    assert.deepEqual([body, dropped], [{ model: 'm', max_tokens: 4096, ...saying('hi') }, ['seed']])

    const { text } = await post('/v1/messages', {
      ...{ model: 'like-anthropic', max_tokens: 99, stream: true },
      ...saying('mock:usage 3 2 mock:say One two'),
    })
    const chunks = asChunks('m')
    let translated = ''
    const parser = new EventParser(
      {
        event: ({ event = '', data }) => (translated += chunks.push(event, data)),
        overflow: () => assert.fail('an event is too long'),
      },
      1024 * 1024,
    )
    parser.push(Buffer.from(text))
    assert.deepEqual(llmStreamViolations('completions', translated), [])
    assert.partialDeepStrictEqual(chunks.usage(), { inputTokens: 3, outputTokens: 2 })
  })
})
