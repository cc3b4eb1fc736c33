import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { RawClient } from '../support/raw-client.ts'
import { rawServer } from '../support/upstream-servers.ts'

const connectTo = (authority: string, more = ''): string =>
  `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n${more}\r\n`

const inside = (name: string) => `{ routes: [{
      name: ${name},
      policies: {
        authorization: { rules: ['source.connectHeaders["x-from"] == "me" && request.method == "GET"'] },
        directResponse: { status: 200, bodyExpression: '"${name} got " + request.path' } } }] }`

test('a CONNECT request', async (t) => {
  await t.test('to a tunnel bind ends at an internal bind, whose rules apply', async () => {
    await using daemon = await startDaemon(`${anyPorts}
binds:
  - { port: 0, address: 127.0.0.1, tunnelProtocol: connect, listeners: [{ name: outer, routes: [] }] }
  - { mode: internal, listeners: [${inside('inner')}] }
`)
    const port = Number(/listens on http:\/\/127\.0\.0\.1:(\d+)/.exec(daemon.output())?.[1])
    using client = await RawClient.to(port)
    client.send(connectTo('any.example:4711', 'X-From: me\r\n'))
    await client.until('HTTP/1.1 200 ')
    client.send('GET /one HTTP/1.1\r\nHost: b\r\n\r\n')
    await client.until('inner got /one')
    client.send('POST /two HTTP/1.1\r\nHost: b\r\nContent-Length: 0\r\n\r\n')
    await client.until('authorization failed')
    using stranger = await RawClient.to(port)
    stranger.send(connectTo('any.example:4711'))
    await stranger.until('HTTP/1.1 200 ')
    stranger.send('GET /one HTTP/1.1\r\nHost: b\r\n\r\n')
    await stranger.until('authorization failed')
    using plain = await RawClient.to(port)
    plain.send('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
    await plain.until(/^HTTP\/1\.1 405 [^]*method not allowed$/)
  })

  for (const [authority, expected] of [
    ['any.example:1', /^HTTP\/1\.1 404 [^]*bind not found$/],
    ['any.example', /^HTTP\/1\.1 400 /],
  ] as const)
    await t.test(`to ${authority} is refused if no bind matches`, async () => {
      await using daemon = await startDaemon(`${anyPorts}
frontendPolicies: { connect: { mode: tunnel } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
`)
      using client = await RawClient.to(Number(new URL(daemon.url('default')).port))
      client.send(connectTo(authority))
      assert.match(await client.end(), expected)
    })

  await t.test('is routed like any request in mode route: it is tunneled or refused', async () => {
    await using echo = await rawServer((socket) => socket.pipe(socket))
    await using daemon = await startDaemon(`${anyPorts}
frontendPolicies: { connect: { mode: route } }
gateways: { default: { port: 0, address: 127.0.0.1 } }
routes:
  - name: tunnel
    matches: [{ method: CONNECT }]
    policies: { authorization: { rules: ['request.headers["x-key"] == "4711"'] } }
    backends: [{ dynamic: { allow: { hosts: [127.0.0.1], ports: [${echo.port}], privateRanges: [127.0.0.1/32] } } }]
`)
    const port = Number(new URL(daemon.url('default')).port)
    using client = await RawClient.to(port)
    client.send(connectTo(`127.0.0.1:${echo.port}`, 'X-Key: 4711\r\n'))
    await client.until('HTTP/1.1 200 ')
    client.send('\x00\xffanything')
    await client.until('\x00\xffanything')
    for (const [authority, more, status] of [
      [`127.0.0.1:${echo.port}`, '', 403],
      [`127.0.0.1:${port}`, 'X-Key: 4711\r\n', 403],
    ] as const) {
      using other = await RawClient.to(port)
      other.send(connectTo(authority, more))
      await other.until(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
  })
})
