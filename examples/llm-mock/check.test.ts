import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/llm-mock', async (t) => {
  await using daemon = await startExample('llm-mock')
  const chat = async (model: string, content: string) => {
    const body = JSON.stringify({ model, messages: [{ role: 'user', content }] })
    const answer = await sendRequest(daemon.url('default'), '/v1/chat/completions', { method: 'POST', body })
    return { status: answer.status, said: JSON.parse(answer.text) as { model: string; choices: unknown[] } }
  }

  await t.test('serves a completion', async () => {
    const { status, said } = await chat('first', 'hi')
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(said, {
      model: 'first',
      choices: [{ message: { content: 'Hello from the mock model! You said: hi' } }],
    })
  })

  await t.test('fails over to the second model, and charges for that one', async () => {
    const { status, said } = await chat('safe', 'mock@first:error 503 mock:say Still here.')
    assert.equal(status, 200)
    assert.partialDeepStrictEqual(said, { choices: [{ message: { content: 'Still here.' } }] })
    const [line] = await daemon.printed(/http\.status=200 .*retry\.attempt.*/)
    assert.match(line, / gen_ai\.response\.model=second .* agw\.ai\.usage\.cost\.total=0\.000\d+ /)
  })
})
