import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/authorization', async (t) => {
  await using shop = await startUpstream((req, res) => {
    req.resume()
    res.end(`served ${String(req.method)}`)
  })
  await using daemon = await startExample('authorization', {
    SHOP: shop.host,
    READER_KEY: 'ann-key',
    WRITER_KEY: 'bob-key',
  })
  const send = async (key: string, method: string, path: string, headers = {}) => {
    const { status, text } = await sendRequest(daemon.url('default'), path, {
      method,
      headers: { 'x-api-key': key, ...headers },
    })
    return [status, text]
  }
  const refused = [403, 'authorization failed']

  await t.test('allows readers to read', async () => {
    assert.deepEqual(await send('ann-key', 'GET', '/orders'), [200, 'served GET'])
    assert.deepEqual(await send('ann-key', 'POST', '/orders'), refused)
  })

  await t.test('allows writers to write, except to the archive', async () => {
    assert.deepEqual(await send('bob-key', 'POST', '/orders'), [200, 'served POST'])
    assert.deepEqual(await send('bob-key', 'GET', '/orders/archive/1'), [200, 'served GET'])
    assert.deepEqual(await send('bob-key', 'POST', '/orders/archive/1'), refused)
  })

  await t.test('requires a reason for DELETE', async () => {
    assert.deepEqual(await send('bob-key', 'DELETE', '/orders/1'), refused)
    assert.deepEqual(await send('bob-key', 'DELETE', '/orders/1', { 'x-reason': 'paid twice' }), [
      200,
      'served DELETE',
    ])
    assert.deepEqual(await send('ann-key', 'DELETE', '/orders/1', { 'x-reason': 'for fun' }), refused)
  })

  await t.test('refuses unknown keys with 401', async () => {
    assert.equal((await send('eve-key', 'GET', '/orders'))[0], 401)
  })
})
