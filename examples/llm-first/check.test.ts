import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmStreamViolations } from 'agentgateway/testing'
import { sendRequest } from '../../test/support/send-request.ts'
import { command } from '../../test/support/command.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/llm-first', async (t) => {
  await using daemon = await startExample('llm-first')
  const messages = [{ role: 'user', content: 'hi' }]
  const post = (path: string, body: object) =>
    sendRequest(daemon.url('default'), path, { method: 'POST', body: JSON.stringify(body) })

  await t.test('serves OpenAI clients', async () => {
    const { status, text } = await post('/v1/chat/completions', { model: 'assistant', messages })
    assert.equal(status, 200)
    assert.match(text, /"content":"Hello from the mock model! You said: hi"/)
  })

  await t.test('streams to Anthropic clients', async () => {
    const { headers, text } = await post('/v1/messages', {
      ...{ model: 'assistant', max_tokens: 99, stream: true, messages },
    })
    assert.match(headers['content-type'] ?? '', /^text\/event-stream/)
    assert.deepEqual(llmStreamViolations('messages', text), [])
  })

  await t.test('lists its models', async () => {
    const { text } = await sendRequest(daemon.url('default'), '/v1/models')
    const { data } = JSON.parse(text) as { data: { id: string }[] }
    assert.deepEqual(
      data.map(({ id }) => id),
      ['assistant', 'claude-*', 'gpt-*'],
    )
  })

  await t.test('refuses unknown models', async () => {
    const { status, text } = await post('/v1/messages', { model: 'other', max_tokens: 9, messages })
    assert.equal(status, 404)
    const message = 'Model not found: other. GET /v1/models lists the models'
    assert.partialDeepStrictEqual(JSON.parse(text), { type: 'error', error: { message } })
  })

  await t.test('has a valid configuration with all providers', async () => {
    const file = 'examples/llm-first/providers.yaml'
    const { status, stderr } = await command(process.execPath, ['src/main.ts', '-f', file, '--validate-only'])
    assert.equal(status, 0, stderr)
  })
})
