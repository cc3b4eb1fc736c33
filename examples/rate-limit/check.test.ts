import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/rate-limit', async (t) => {
  await using shop = await startUpstream((_, res) => res.end('served'))
  await using daemon = await startExample('rate-limit', { SHOP: shop.host })
  const get = (path: string, plan = 'none') =>
    sendRequest(daemon.url('default'), path, { headers: { 'x-plan': plan } })

  await t.test('allows a burst, and reports the remaining requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => get('/search')))
    const passed = answers.filter(({ status }) => status === 200)
    const refused = answers.filter(({ status }) => status === 429)
    // A slow machine may have refilled a token meanwhile.
    assert.ok(passed.length >= 5 && refused.length >= 1, `${passed.length} passed`)
    const [first] = refused
    assert.deepEqual([first?.text, first?.headers['retry-after']], ['rate limit exceeded', '1'])
    assert.deepEqual(new Set(answers.map(({ headers }) => headers['x-ratelimit-limit'])), new Set(['5']))
  })

  await t.test('allows requests again after a while', async () => {
    let answer = await get('/search')
    while (answer.status === 429) answer = await get('/search')
    assert.equal(answer.text, 'served')
  })

  await t.test('has a bucket for each plan', async () => {
    const statuses: number[] = []
    for (let i = 0; i < 4; i++) statuses.push((await get('/api')).status)
    assert.deepEqual(statuses, [200, 200, 200, 429])
    const { status, headers } = await get('/api', 'pro')
    assert.deepEqual(
      [status, headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']],
      [200, '100', '99'],
    )
  })
})
