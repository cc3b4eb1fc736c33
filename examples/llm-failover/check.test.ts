import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmStreamViolations } from 'agentgateway/testing'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/llm-failover', async (t) => {
  await using daemon = await startExample('llm-failover')
  const chat = (model: string, content: string, more: object = {}) =>
    sendRequest(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...more }),
    })
  const modelOf = (text: string) => (JSON.parse(text) as { model: string }).model

  await t.test('calls the best model first', async () => {
    assert.equal(modelOf((await chat('safe', 'hi')).text), 'best')
  })

  await t.test('fails over to the spare model, in one valid stream', async () => {
    const { status, text } = await chat('safe', 'mock@best:error 503 mock:say Still here.', { stream: true })
    assert.equal(status, 200)
    assert.deepEqual(llmStreamViolations('completions', text), [])
    assert.match(text, /"model":"spare"/)
    assert.doesNotMatch(text, /"model":"best"|error/)
  })

  await t.test('skips a model that has failed twice', async () => {
    await chat('safe', 'mock@best:error 500')
    assert.equal(modelOf((await chat('safe', 'hi')).text), 'spare')
  })

  await t.test('chooses the model by the request', async () => {
    assert.equal(modelOf((await chat('sized', 'hi', { max_tokens: 50 })).text), 'small')
    assert.equal(modelOf((await chat('sized', 'hi', { max_tokens: 500 })).text), 'best')
    assert.equal(modelOf((await chat('sized', 'hi')).text), 'best')
  })

  await t.test('chooses by weight', async () => {
    assert.match(modelOf((await chat('shared', 'hi')).text), /^(best|small)$/)
  })

  await t.test('does not serve the target models under their own names', async () => {
    assert.equal((await chat('best', 'hi')).status, 404)
  })
})
