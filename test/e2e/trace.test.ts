import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { startEcho } from '../support/echo-upstream.ts'

/** A watcher: opens the stream, and gives the types and request paths that came when it ended. */
const watch = async (daemon: Daemon, query = '') => {
  const watcher = request(`${daemon.url('admin')}/debug/trace${query}`, { agent: false }).end()
  const [res] = (await once(watcher, 'response')) as [IncomingMessage]
  let received = ''
  const ended = (async () => {
    for await (const chunk of res) received += String(chunk)
    return received
  })()
  return { received: () => received, ended, leave: () => watcher.destroy() }
}

const count = (text: string, what: string): number => text.split(what).length - 1

test('a trace through the daemon', async (t) => {
  await using echo = await startEcho('echo')
  await using daemon = await startDaemon(`${anyPorts}
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: traced
    policies: { urlRewrite: { path: { full: /rewritten } }, csrf: {} }
    backends: [{ host: "${echo.host}" }]
`)
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const ask = async (path: string) => {
    const [res] = (await once(
      get(`${daemon.url('default')}${path}`, { agent, headers: { authorization: 'Bearer s3cr3t' } }),
      'response',
    )) as [IncomingMessage]
    res.resume()
    await once(res, 'end')
  }

  await t.test('is of one request, though its connection has more', async () => {
    const { ended } = await watch(daemon)
    await ask('/one')
    await ask('/two')
    const text = await ended
    assert.equal(count(text, 'requestStarted'), 1)
    for (const part of ['default/traced', 'url_rewrite', echo.host, '/one'])
      assert.ok(text.includes(part), part)
    assert.doesNotMatch(text, /s3cr3t|\/two/)
  })

  await t.test('waits for the request that its expression fits', async () => {
    const watcher = await watch(daemon, `?expression=${encodeURIComponent("request.path == '/awaited'")}`)
    await ask('/other')
    assert.equal(count(watcher.received(), 'requestStarted'), 0)
    await ask('/awaited')
    const text = await watcher.ended
    assert.equal(count(text, 'requestStarted'), 1)
    assert.match(text, /\/awaited/)
    assert.doesNotMatch(text, /"\/other"/)
  })

  await t.test('is of as many requests as are counted', async () => {
    const { ended } = await watch(daemon, '?count=2')
    for (const path of ['/1', '/2', '/3']) await ask(path)
    assert.equal(count(await ended, 'requestStarted'), 2)
  })

  await t.test('goes on as long as it is followed', async () => {
    const watcher = await watch(daemon, '?follow=true')
    for (const path of ['/1', '/2', '/3']) await ask(path)
    while (count(watcher.received(), 'requestFinished') < 3) await new Promise(setImmediate)
    watcher.leave()
    await assert.rejects(watcher.ended)
  })
  agent.destroy()
})
