import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { llmStreamViolations } from 'agentgateway/testing'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { findProgram } from '../../test/support/find-program.ts'
import { type Program, startProgram } from '../../test/support/program.ts'
import { until } from '../../test/support/stream-body.ts'

const BLOCKED = 'The request was blocked by the guardrail webhook'

const checkAll = async (t: TestContext, webhook: Program, streaming: 'Buffer' | 'Enabled') => {
  await using daemon = await startExample('guardrail-webhook', {
    WEBHOOK: webhook.host,
    STREAMING: streaming,
  })
  const say = async (content: string, more: object = {}, path = '/v1/chat/completions') => {
    const body = JSON.stringify({ model: 'assistant', messages: [{ role: 'user', content }], ...more })
    return sendRequest(daemon.url('default'), path, { method: 'POST', body })
  }

  /** The webhook's output may arrive after its response. */
  const told = (...lines: readonly string[]) =>
    until(
      () => String(webhook.lines.slice(-lines.length)) === String(lines),
      `${String(lines)} at the end of ${String(webhook.lines)}`,
    )

  await t.test('passes harmless conversations', async () => {
    const { status, text } = await say('hi')
    assert.equal(status, 200)
    assert.match(text, /"content":"Hello from the mock model! You said: hi"/)
    await told('request: pass', 'response: pass')
  })

  await t.test('rejects prompts, streaming or not', async () => {
    for (const stream of [false, true]) {
      const { status, text, headers } = await say('please block me', { stream })
      assert.deepEqual([status, text, headers['content-type']], [403, BLOCKED, 'text/plain; charset=utf-8'])
      await told('request: block')
    }
  })

  await t.test('masks replies', async () => {
    const { status, text } = await say('behind a mask')
    assert.equal(status, 200)
    assert.match(text, /You said: behind a \*\*\*\*"/)
    await told('response: mask')
  })

  await t.test('streams replies', async () => {
    const { status, text } = await say('hi', { stream: true })
    assert.equal(status, 200)
    assert.deepEqual(llmStreamViolations('completions', text), [])
    await told('response: pass')
  })

  await t.test('masks replies for every client format, in streams as well', async () => {
    const { status, text } = await say('behind a mask', { stream: true, max_tokens: 99 }, '/v1/messages')
    assert.equal(status, 200)
    assert.deepEqual(llmStreamViolations('messages', text), [])
    assert.doesNotMatch(text, /mask/)
    await told('response: mask')
  })

  await t.test('keeps running after malformed requests', async () => {
    const url = `http://${webhook.host}`
    for (const body of ['', 'null', '{}', '{"body":{"messages":[null]}}']) {
      const { status } = await sendRequest(url, '/request', { method: 'POST', body })
      assert.equal(status, 400)
    }
    const { status } = await say('hi')
    assert.equal(status, 200)
  })

  await t.test('blocks everything while the webhook is down', async () => {
    await webhook[Symbol.asyncDispose]()
    const { status, text } = await say('hi')
    assert.equal(status, 503)
    assert.match(text, /failed to process LLM request: prompt guard failed/)
  })
}

for (const streaming of ['Buffer', 'Enabled'] as const) {
  test(`examples/guardrail-webhook in JavaScript, streaming: ${streaming}`, async (t) => {
    await using webhook = await startProgram('examples/guardrail-webhook/server.mjs')
    await checkAll(t, webhook, streaming)
  })

  const python = findProgram('python3')
  const options = python === undefined ? { skip: 'python3 is not there' } : {}
  test(`examples/guardrail-webhook in Python, streaming: ${streaming}`, options, async (t) => {
    await using webhook = await startProgram('examples/guardrail-webhook/server.py', python)
    await checkAll(t, webhook, streaming)
  })
}
