import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/cors-and-csrf', async (t) => {
  let calls = 0
  await using api = await startUpstream((req, res) => {
    calls++
    req.resume()
    res.setHeader('x-total', '3').end('done')
  })
  await using daemon = await startExample('cors-and-csrf', { API: api.host })
  const url = daemon.url('default')

  await t.test('replies to preflight requests itself', async () => {
    const asked = {
      'access-control-request-method': 'DELETE',
      'access-control-request-headers': 'content-type',
    }
    const { status, headers } = await sendRequest(url, '/', {
      method: 'OPTIONS',
      headers: { origin: 'https://app.example.com', ...asked },
    })
    assert.equal(status, 200)
    assert.equal(headers['access-control-allow-origin'], 'https://app.example.com')
    assert.equal(headers['access-control-allow-credentials'], 'true')
    assert.equal(headers['access-control-allow-methods'], 'GET,POST,DELETE')
    assert.equal(headers['access-control-allow-headers'], 'content-type')
    assert.equal(headers['access-control-max-age'], '600')
    assert.equal(calls, 0)
  })

  await t.test('allows reading responses from listed origins only', async () => {
    const from = (origin: string) => sendRequest(url, '/', { headers: { origin } })
    const { headers } = await from('https://pr-7.preview.example.com')
    assert.equal(headers['access-control-allow-origin'], 'https://pr-7.preview.example.com')
    assert.equal(headers['access-control-expose-headers'], 'x-total')
    assert.match(headers.vary ?? '', /Origin/)
    assert.equal((await from('https://evil.test')).headers['access-control-allow-origin'], undefined)
  })

  await t.test('accepts requests from its own page', async () => {
    const { status } = await sendRequest(url, '/', {
      method: 'POST',
      headers: { origin: 'https://app.example.com' },
      body: 'a=1',
    })
    assert.equal(status, 200)
  })

  await t.test('accepts requests that no browser sent', async () => {
    assert.equal((await sendRequest(url, '/', { method: 'POST', body: 'a=1' })).status, 200)
  })

  await t.test(
    'refuses cross-site requests, with CORS headers for origins that may read the refusal',
    async () => {
      calls = 0
      const sent = async (headers: Record<string, string>) =>
        sendRequest(url, '/', { method: 'POST', headers, body: 'a=1' })
      assert.equal((await sent({ origin: 'https://evil.test' })).status, 403)
      assert.equal((await sent({ origin: 'null' })).status, 403)
      assert.equal((await sent({ 'sec-fetch-site': 'cross-site' })).status, 403)
      const readable = await sent({ origin: 'https://pr-7.preview.example.com' })
      assert.deepEqual(
        [readable.status, readable.headers['access-control-allow-origin']],
        [403, 'https://pr-7.preview.example.com'],
      )
      assert.equal(calls, 0)
    },
  )
})
