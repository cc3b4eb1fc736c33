import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/api-keys', async (t) => {
  await using weather = await startUpstream((req, res) => {
    const { 'x-team': team, 'x-api-key': key = 'no key' } = req.headers
    res.end(`${String(team)} with ${String(key)}`)
  })
  await using daemon = await startExample('api-keys', {
    WEATHER: weather.host,
    PAID_KEY_SHA256: createHash('sha256').update('a very long and random one').digest('hex'),
  })
  const send = async (path: string, key?: string) => {
    const headers = key === undefined ? {} : { 'x-api-key': key }
    const { status, text } = await sendRequest(daemon.url('default'), path, { headers })
    return [status, text]
  }

  await t.test('requires a known key', async () => {
    assert.deepEqual(await send('/now'), [
      401,
      'api key authentication failure: no API Key found in x-api-key',
    ])
    assert.deepEqual(await send('/now', 'paid'), [401, 'api key authentication failure: invalid credentials'])
  })

  await t.test('passes the owner of the key to the upstream, but not the key', async () => {
    assert.deepEqual(await send('/now', 'trial'), [200, 'guests with no key'])
    assert.deepEqual(await send('/now', 'a very long and random one'), [200, 'sailors with no key'])
  })

  await t.test('allows forecasts only for paying plans', async () => {
    assert.deepEqual(await send('/forecast', 'trial'), [403, 'authorization failed'])
    assert.equal((await send('/forecast', 'a very long and random one'))[0], 200)
  })
})
