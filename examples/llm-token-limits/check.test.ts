import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { anyPorts, startDaemon } from '../../test/support/daemon.ts'
import { startExample } from '../../test/support/example.ts'
import { startCounting } from '../../test/support/rate-limit-service.ts'

test('examples/llm-token-limits', async (t) => {
  await using daemon = await startExample('llm-token-limits')
  const chat = async (content: string, headers: Record<string, string> = {}) => {
    const body = JSON.stringify({ model: 'any', messages: [{ role: 'user', content }] })
    return sendRequest(daemon.url('default'), '/v1/chat/completions', { method: 'POST', body, headers })
  }

  await t.test('refuses a prompt that exceeds the limit, without charging for it', async () => {
    const { status, headers } = await chat('word '.repeat(2_000))
    assert.deepEqual([status, headers['x-ratelimit-remaining']], [429, '1000'])
  })

  await t.test('allows requests until the tokens are used up', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 3; i++) statuses.push((await chat('mock:usage 400 300')).status)
    assert.deepEqual(statuses, [200, 200, 429])
  })

  await t.test('has a separate bucket for other plans', async () => {
    const { status, headers } = await chat('mock:usage 400 300', { 'x-plan': 'pro' })
    assert.deepEqual([status, headers['x-ratelimit-limit']], [200, '100000'])
  })
})

test('examples/llm-token-limits shares a limit through a service', async () => {
  await using service = await startCounting(100)
  const shared = readFileSync('examples/llm-token-limits/shared.yaml', 'utf8')
  await using daemon = await startDaemon(anyPorts + shared, { env: { PORT: '0', LIMITER: service.host } })
  const body = JSON.stringify({ model: 'any', messages: [{ role: 'user', content: 'mock:usage 40 3' }] })
  const { status } = await sendRequest(daemon.url('default'), '/v1/chat/completions', {
    method: 'POST',
    body,
  })
  assert.equal(status, 200)
  while (service.heard.length < 2) await new Promise((resolve) => setImmediate(resolve))
  const hits = service.heard.map(({ descriptors }) => descriptors.map(({ hitsAddend }) => Number(hitsAddend)))
  assert.deepEqual(hits, [
    [0, 0],
    [43, 55],
  ])
})
