import assert from 'node:assert/strict'
import { test } from 'node:test'
import { llmStreamViolations } from 'agentgateway/testing'
import { ask } from '../../test/support/ask.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/llm-failover', async (t) => {
  await using daemon = await startExample('llm-failover')
  const chat = (model: string, content: string, more: object = {}) =>
    ask(daemon.url('default'), '/v1/chat/completions', {
      method: 'POST',
      body: JSON.stringify({ model, messages: [{ role: 'user', content }], ...more }),
    })
  const modelOf = (text: string) => (JSON.parse(text) as { model: string }).model

  await t.test('asks the best model first', async () => {
    assert.equal(modelOf((await chat('safe', 'hi')).text), 'best')
  })

  await t.test('lets the spare one answer, in one clean stream', async () => {
    const { status, text } = await chat('safe', 'mock@best:error 503 mock:say Still here.', { stream: true })
    assert.equal(status, 200)
    assert.deepEqual(llmStreamViolations('completions', text), [])
    assert.match(text, /"model":"spare"/)
    assert.doesNotMatch(text, /"model":"best"|error/)
  })

  await t.test('leaves a model alone that has failed twice', async () => {
    await chat('safe', 'mock@best:error 500')
    assert.equal(modelOf((await chat('safe', 'hi')).text), 'spare')
  })

  await t.test('goes by what is asked', async () => {
    assert.equal(modelOf((await chat('sized', 'hi', { max_tokens: 50 })).text), 'small')
    assert.equal(modelOf((await chat('sized', 'hi', { max_tokens: 500 })).text), 'best')
    assert.equal(modelOf((await chat('sized', 'hi')).text), 'best')
  })

  await t.test('draws by weight', async () => {
    assert.match(modelOf((await chat('shared', 'hi')).text), /^(best|small)$/)
  })

  await t.test('keeps the models themselves from clients', async () => {
    assert.equal((await chat('best', 'hi')).status, 404)
  })
})
