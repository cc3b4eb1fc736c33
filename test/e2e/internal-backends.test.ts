import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { sendRequest } from '../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'

const configuration = `${anyPorts.replace('adminAddr: 127.0.0.1:0', "adminAddr: 'off'")}
gateways: { default: { port: 0, address: 127.0.0.1 } }
backends: [{ name: dump, internal: /config_dump }]
routes:
  - name: admin
    matches: [{ path: { pathPrefix: /admin } }]
    policies:
      urlRewrite: { path: { prefix: / } }
      apiKey: { mode: strict, keys: [{ key: sesame-sesame }] }
      responseHeaderModifier: { set: { x-via: route } }
    backends: [{ internal: forward }]
  - name: dump
    matches: [{ path: { pathPrefix: /dump } }]
    backends: [{ backend: dump }]
  - name: trace
    matches: [{ path: { pathPrefix: /trace } }]
    backends: [{ internal: '/debug/trace?follow=true&bodies=true' }]
  - name: watch
    matches: [{ path: { pathPrefix: /watch } }]
    backends: [{ internal: '/debug/trace?follow=true&expression=false' }]
  - name: answer
    matches: [{ path: { exact: /answer } }]
    policies: { directResponse: { status: 200, body: ok } }
`
const key = { authorization: 'Bearer sesame-sesame' }

/** An open stream and what it has received. */
const open = async (daemon: Daemon, path: string, headers = {}) => {
  const req = request(`${daemon.url('default')}${path}`, { agent: false, headers }).end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  let text = ''
  res.on('data', (chunk: Buffer) => (text += chunk.toString())).on('error', () => undefined)
  const received = async (pattern: RegExp): Promise<string> => {
    while (!pattern.test(text)) await once(res, 'data')
    return text
  }
  return { res, received, leave: () => req.destroy() }
}

/** A slot is free once the gateway has noticed that its client left. */
const openOnceFree = async (daemon: Daemon) => {
  for (;;) {
    const one = await open(daemon, '/watch')
    if (one.res.statusCode === 200) return one
  }
}

test('a route to the admin interface', async (t) => {
  await using daemon = await startDaemon(configuration)
  const call = (path: string, asked = {}) =>
    sendRequest(daemon.url('default'), path, { headers: key, ...asked })

  await t.test('applies its own policies', async () => {
    const refused = await sendRequest(daemon.url('default'), '/admin/config_dump')
    assert.equal(refused.status, 401)
    const { status, text, headers } = await call('/admin/config_dump')
    assert.deepEqual([status, headers['x-via']], [200, 'route'])
    assert.equal(headers['x-content-type-options'], 'nosniff')
    assert.doesNotMatch(text, /sesame/)
    const { backends } = JSON.parse(text) as { backends: { backend: { internal: object } }[] }
    assert.deepEqual(backends.map(({ backend }) => backend.internal).slice(0, 1), [
      { name: 'dump', namespace: '', target: '/config_dump' },
    ])
    assert.match(text, /"target": "forward"/)
    assert.match(text, /"target": "\/debug\/trace\?follow=true&bodies=true"/)
  })

  await t.test('accepts any host and origin', async () => {
    const headers = { ...key, host: 'gateway.example', origin: 'https://page.example' }
    assert.equal((await call('/admin/dependencies', { headers })).status, 200)
  })

  await t.test('forwards path and query', async () => {
    assert.match((await call('/admin')).text, /<h1>agentgateway/)
    const wrong = await call('/admin/debug/trace?expresion=x')
    assert.deepEqual([wrong.status, wrong.text.slice(0, 28)], [400, 'unknown parameter: expresion'])
  })

  await t.test('forwards the method', async () => {
    const cel = await call('/admin/cel', { method: 'POST', body: '{"expression":"1+1"}' })
    assert.deepEqual([cel.status, cel.text], [200, '{"result":2,"error":null}'])
    const head = await call('/admin/config_dump', { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    const index = await call('/admin', { method: 'HEAD' })
    assert.deepEqual([index.status, index.text, Number(index.headers['content-length']) > 0], [200, '', true])
    const wrong = await call('/admin/config_dump', { method: 'POST', body: 'x' })
    assert.deepEqual([wrong.status, wrong.headers.allow, wrong.text], [405, 'GET, HEAD', ''])
  })

  await t.test('replies with 404 for unknown paths, and keeps the limits of the interface', async () => {
    for (const path of ['/admin/nope', '/admin//config_dump', '/admin/config_dump/x'])
      assert.deepEqual([(await call(path)).status, path], [404, path])
    const body = Buffer.alloc(64 * 1024 + 1, 0x20)
    const long = await call('/admin/cel', { method: 'POST', body })
    assert.deepEqual([long.status, long.text], [413, 'body too large: at most 65536 bytes\n'])
    const streamed = {
      method: 'POST',
      headers: key,
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as const
    const unannounced = await fetch(`${daemon.url('default')}/admin/cel`, streamed)
    assert.deepEqual([unannounced.status, await unannounced.text()], [413, long.text])
  })

  await t.test('with a fixed target serves only that', async () => {
    for (const path of ['/dump', '/dump/other?bodies=true', '/dump/quitquitquit']) {
      const { status, text } = await call(path)
      assert.deepEqual([status, JSON.parse(text) instanceof Object], [200, true])
    }
    assert.equal((await call('/dump', { method: 'POST' })).status, 405)
  })

  await t.test('does not shut the gateway down', async () => {
    for (const path of ['/admin/quitquitquit', '/admin/quitquitquit?x', '/admin/%71uitquitquit'])
      assert.equal((await call(path, { method: 'POST' })).status, 403)
    assert.equal((await call('/answer')).status, 200)
  })

  await t.test('is warned about if everybody can reach it', async () => {
    await daemon.printed(/:\d+:18: warning: routes\[1\]\.backends\[0\]\.backend: whoever reaches this route/)
    assert.doesNotMatch(daemon.output(), /routes\[0\]\.backends\[0\]\.internal: whoever/)
  })
})

test('a trace through a route', async (t) => {
  await using daemon = await startDaemon(configuration)

  await t.test('follows other requests, not itself, although it shows bodies', async () => {
    const watcher = await open(daemon, '/trace?bodies=no')
    await watcher.received(/keepalive/)
    await sendRequest(daemon.url('default'), '/answer')
    const text = await watcher.received(/requestFinished/)
    assert.match(text, /\/answer/)
    assert.doesNotMatch(text, /"path":"\/(?:trace|debug)/)
    watcher.leave()
  })

  await t.test('frees its slot when its client leaves', async () => {
    for (let round = 0; round < 2; round++) {
      const watchers = []
      while (watchers.length < 64) watchers.push(await openOnceFree(daemon))
      const full = await sendRequest(daemon.url('default'), '/watch')
      assert.deepEqual([full.status, full.text], [503, 'too many watchers: at most 64 at the same time\n'])
      for (const { leave } of watchers) leave()
    }
  })

  await t.test('ends at shutdown', async () => {
    const watcher = await openOnceFree(daemon)
    await watcher.received(/ready/)
    const ended = once(watcher.res, 'end')
    assert.equal(await daemon.stop('SIGTERM'), 0)
    await ended
  })
})
