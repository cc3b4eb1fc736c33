import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { startExample } from '../../test/support/example.ts'
import { startUpstream } from '../../test/support/upstream.ts'

test('examples/reverse-proxy', async (t) => {
  let calls = 0
  await using orders = await startUpstream((req, res) => {
    calls++
    req.resume()
    if (req.url === '/orders/late' && calls < 3) res.writeHead(503).end('not yet')
    else if (req.url === '/orders/never') req.socket.once('close', () => undefined)
    else res.end(`orders: ${req.method ?? ''} ${req.url ?? ''} ${String(req.headers['x-retry-attempt'])}`)
  })
  await using website = await startUpstream((req, res) => {
    res.setHeader('server', 'old one')
    const { 'x-forwarded-for': who, 'x-forwarded-proto': how, 'x-internal': secret } = req.headers
    res.end(`website: ${req.url ?? ''} for ${String(who)} over ${String(how)} ${String(secret)}`)
  })
  await using daemon = await startExample('reverse-proxy', {
    ORDERS: orders.host,
    WEBSITE: website.host,
    ATTEMPT: '2s',
  })
  const url = daemon.url('default')
  const from = (host: string, path: string, headers = {}) =>
    sendRequest(url, path, { headers: { host, ...headers } })

  await t.test('forwards a path to a service, without its prefix', async () => {
    const { text } = await from('shop.example.com', '/api/orders/7?full=yes')
    assert.equal(text, 'orders: GET /orders/7?full=yes undefined')
  })

  await t.test('forwards the rest of the host and its subdomains to the website', async () => {
    const text = 'website: / for 127.0.0.1 over http undefined'
    assert.equal((await from('shop.example.com', '/')).text, text)
    assert.equal((await from('SHOP.example.com.:80', '/')).text, text)
    assert.equal((await from('de.shop.example.com', '/')).text, text)
    assert.equal((await from('shop.example.com', '/apis')).text, text.replace('/', '/apis'))
  })

  await t.test('removes internal and forged headers from requests, and server from responses', async () => {
    const claims = { 'x-internal': '1', 'x-forwarded-for': '10.0.0.1', 'x-forwarded-proto': 'https' }
    const { text, headers } = await from('shop.example.com', '/', claims)
    assert.equal(text, 'website: / for 127.0.0.1 over http undefined')
    assert.equal(headers.server, undefined)
  })

  await t.test('replies with 404 for other hosts', async () => {
    const { status, text } = await from('other.example.com', '/')
    assert.deepEqual([status, text], [404, 'route not found'])
  })

  await t.test('retries when the service is not ready', async () => {
    calls = 0
    const { status, text } = await from('shop.example.com', '/api/orders/late')
    assert.deepEqual([status, text, calls], [200, 'orders: GET /orders/late 2', 3])
  })

  await t.test('times out when the service does not respond', async () => {
    calls = 0
    const { status, text } = await from('shop.example.com', '/api/orders/never')
    assert.deepEqual([status, text, calls], [504, 'upstream call timeout', 3])
  })
})
