import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startProgram } from '../../test/support/program.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/shared-rate-limit', async (t) => {
  await using shop = await startUpstream((req, res) => {
    req.resume()
    res.end('fine')
  })
  await using limiter = await startProgram('examples/shared-rate-limit/limiter.ts')
  const env = { SHOP: shop.host, LIMITER: limiter.host }
  await using one = await startExample('shared-rate-limit', env)
  await using other = await startExample('shared-rate-limit', env)
  const bases = [one.url('default'), other.url('default')]

  await t.test('counts requests of both gateways together', async () => {
    const answers = []
    for (let i = 0; i < 4; i++) answers.push(await sendRequest(bases[i % 2]!, '/'))
    assert.deepEqual(
      answers.map(({ status, headers }) => [
        status,
        headers['x-ratelimit-limit'],
        headers['x-ratelimit-remaining'],
      ]),
      [
        [200, '3', '2'],
        [200, '3', '1'],
        [200, '3', '0'],
        [429, '3', '0'],
      ],
    )
    const seconds = Number(answers[3]?.headers['x-ratelimit-reset'])
    assert.ok(seconds > 0 && seconds <= 60)
  })

  await t.test('allows requests while the service is down', async () => {
    await limiter[Symbol.asyncDispose]()
    for (const base of bases) assert.equal((await sendRequest(base, '/')).status, 200)
  })
})
