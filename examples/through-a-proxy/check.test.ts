import assert from 'node:assert/strict'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { sendRequest } from '../../test/support/send-request.ts'
import { makeAuthority } from '../../test/support/certificates.ts'
import { startExample } from '../../test/support/example.ts'
import { startProxy } from '../../test/support/http-proxy.ts'
import { httpServer, listening } from '../../test/support/upstream-servers.ts'

test('examples/through-a-proxy', async (t) => {
  using authority = makeAuthority()
  await using weather = await listening(
    createServer(authority.issue('weather.example'), (_, res) => res.end('fair')),
  )
  await using stock = await httpServer((_, res) => res.end('plenty'))
  await using proxy = await startProxy()
  proxy.credential = 'Basic dTpw'
  const places = { WEATHER: `weather.example:${weather.port}`, STOCK: `stock.example:${stock.port}` }
  const start = (PROXY_CREDENTIAL: string) =>
    startExample('through-a-proxy', {
      ...places,
      ROOT: authority.certFile,
      PROXY: `127.0.0.1:${proxy.port}`,
      PROXY_CREDENTIAL,
    })

  await t.test('uses CONNECT for HTTPS, and absolute-form requests for HTTP', async () => {
    await using daemon = await start('dTpw')
    assert.equal((await sendRequest(daemon.url('default'), '/weather')).text, 'fair')
    assert.equal((await sendRequest(daemon.url('default'), '/apples')).text, 'plenty')
    assert.deepEqual(proxy.lines, [`CONNECT ${places.WEATHER}`, `GET http://${places.STOCK}/apples`])
  })

  await t.test('fails with a wrong proxy credential', async () => {
    await using daemon = await start('dTpx')
    for (const path of ['/weather', '/apples']) {
      const { status, text } = await sendRequest(daemon.url('default'), path)
      assert.deepEqual([status, text], [503, 'upstream call failed: refused by the proxy with 407'])
    }
  })
})
