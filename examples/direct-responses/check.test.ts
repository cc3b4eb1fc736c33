import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'

test('examples/direct-responses', async (t) => {
  await using daemon = await startExample('direct-responses')
  const get = (path: string, headers = {}) => sendRequest(daemon.url('default'), path, { headers })

  await t.test('replies with a text', async () => {
    const { status, text, headers } = await get('/robots.txt')
    assert.deepEqual([status, text], [200, 'User-agent: *\nDisallow: /\n'])
    assert.match(headers['content-type'] ?? '', /^text\/plain/)
  })

  await t.test('replies with JSON made from the request', async () => {
    const { text, headers } = await get('/whoami', { 'user-agent': 'a "test"' })
    assert.deepEqual(JSON.parse(text), { address: '127.0.0.1', agent: 'a "test"' })
    assert.deepEqual([headers['content-type'], headers['cache-control']], ['application/json', 'no-store'])
    assert.equal((JSON.parse((await get('/whoami')).text) as { agent: string }).agent, 'unknown')
  })

  await t.test('replies with 503 during maintenance, as a page or as JSON', async () => {
    const page = await get('/shop/cart')
    assert.deepEqual([page.status, page.headers['retry-after']], [503, '3600'])
    assert.match(page.text, /come back/)
    const api = await get('/shop/cart', { accept: 'application/json' })
    assert.deepEqual([api.status, JSON.parse(api.text)], [503, { error: 'closed for maintenance' }])
  })

  await t.test('redirects visitors to the new address', async () => {
    const { status, headers } = await get('/old/a/b?c=d')
    assert.equal(status, 308)
    assert.equal(headers.location, `${daemon.url('default')}/new/a/b?c=d`)
  })
})
