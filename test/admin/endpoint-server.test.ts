import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { once } from 'node:events'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { replyText, type AdminEndpoint } from '../../src/admin/endpoint.ts'
import { indexPage } from '../../src/admin/handlers/index-page.ts'
import { quitEndpoint } from '../../src/admin/handlers/quit.ts'
import { Readiness, readinessEndpoint } from '../../src/admin/readiness.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { metricsReport } from '../../src/admin/reports/metrics-report.ts'
import { statsEndpoints } from '../../src/admin/stats.ts'
import type { FamilyPart } from '../../src/sinks/metrics/report/metrics-report.ts'
import { encodeProxyV2 } from '../support/encode-proxy-v2.ts'
import { call } from '../support/admin-call.ts'
import { RawClient } from '../support/raw-client.ts'

const hello: AdminEndpoint = {
  path: '/hello',
  methods: ['GET', 'POST'],
  summary: 'says hello',
  handle: ({ res }) => replyText(res, 200, 'hello\n'),
}
const broken: AdminEndpoint = {
  path: '/broken',
  methods: ['GET'],
  summary: 'throws',
  handle: () => {
    throw new Error('the database password is hunter2')
  },
}
const anyPort = { host: '127.0.0.1', port: 0 }

test('an endpoint server', async (t) => {
  const errors: unknown[] = []
  const server = await serveEndpoints({
    address: anyPort,
    endpoints: [hello, broken],
    hosts: ['admin.example'],
    onError: (error, path) => errors.push([path, (error as Error).message]),
  })
  t.after(() => server.close(0))
  const [address = ''] = server.addresses
  const send = (path: string, options: Parameters<typeof call>[2] = {}) => call(address, path, options)

  await t.test(
    'serves known paths, replies 404 without a body to others, and 405 with Allow to a wrong method',
    async () => {
      assert.equal((await send('/hello')).text, 'hello\n')
      const unknown = await send('/nowhere')
      assert.deepEqual([unknown.status, unknown.text], [404, ''])
      const wrong = await send('/hello', { method: 'DELETE' })
      assert.deepEqual([wrong.status, wrong.headers.allow, wrong.text], [405, 'GET, POST', ''])
    },
  )

  await t.test('does not expose what an endpoint throws', async () => {
    const { status, text, headers } = await send('/broken')
    assert.deepEqual([status, text], [500, 'internal error\n'])
    assert.match(String(headers['content-type']), /^text\/plain/)
    assert.deepEqual(errors, [['/broken', 'the database password is hunter2']])
  })

  const get = { method: 'GET' }
  const post = { method: 'POST' }
  const local = 'localhost:15000'
  const callers: readonly [status: number, method: { method: string }, headers: Record<string, string>][] = [
    [200, get, { host: local }],
    [200, get, { host: '127.0.0.1:1' }],
    [200, get, { host: '127.8.9.10' }],
    [200, get, { host: '[::1]:15000' }],
    [200, get, { host: 'LOCALHOST.' }],
    [200, get, { host: 'gateway.localhost' }],
    [200, get, { host: 'admin.example:443' }],
    [403, get, { host: 'evil.example' }],
    [403, get, { host: '127.0.0.1.evil.example' }],
    [403, get, { host: 'localhost.evil.example:80' }],
    [403, get, { host: 'evil.example@localhost' }],
    [403, get, { host: 'local host' }],
    [403, get, { host: '127.1' }],
    [403, get, { host: '192.168.1.4:15000' }],
    [200, post, { host: local, origin: 'http://localhost:8080' }],
    [200, post, { host: local, origin: 'https://admin.example' }],
    [403, post, { host: local, origin: 'https://evil.example' }],
    [403, post, { host: local, origin: 'null' }],
    [403, get, { host: local, origin: 'https://localhost.evil.example' }],
    [403, get, { host: local, origin: 'file://localhost' }],
    [403, post, { host: local, 'sec-fetch-site': 'cross-site' }],
    [403, post, { host: local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    [403, get, { host: local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    [200, get, { host: local, 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
    [200, post, { host: local, 'sec-fetch-site': 'same-origin' }],
  ]
  for (const [status, method, headers] of callers)
    await t.test(`replies ${status} to ${method.method} ${JSON.stringify(headers)}`, async () => {
      assert.equal((await send('/hello', { ...method, headers })).status, status)
    })

  await t.test('does not allow any origin to read its replies', async () => {
    const { headers } = await send('/hello', { headers: { host: local, origin: 'http://localhost:3000' } })
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith('access-control')),
      [],
    )
  })

  await t.test('refuses a large body', async () => {
    const { status, text } = await send('/hello', { method: 'POST', body: 'x'.repeat(70_000) })
    assert.deepEqual([status, text], [413, 'body too large: at most 65536 bytes\n'])
  })
})

test('the address of an endpoint server', async (t) => {
  const at = (address: Parameters<typeof serveEndpoints>[0]['address']) =>
    serveEndpoints({ address, endpoints: [hello] })

  await t.test('may be a unix socket, also if a killed process left its file behind', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'admin-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const path = join(folder, 'admin.sock')
    const listening = `require('node:net').createServer().listen(${JSON.stringify(path)}, () => console.log('up'))`
    const child = spawn(process.execPath, ['-e', listening])
    await once(child.stdout, 'data')
    child.kill('SIGKILL')
    await once(child, 'exit')

    const server = await at({ unix: path })
    t.after(() => server.close(0))
    assert.deepEqual(server.addresses, [`unix:${path}`])
    assert.equal((await call(`unix:${path}`, '/hello')).text, 'hello\n')
    await assert.rejects(at({ unix: path }), { code: 'EADDRINUSE' })
  })

  await t.test('may be localhost, on both loopback addresses where there are two', async (t) => {
    const server = await at({ host: 'localhost', port: 0 })
    t.after(() => server.close(0))
    for (const address of server.addresses) assert.equal((await call(address, '/hello')).text, 'hello\n')
    assert.match(server.addresses[0] ?? '', /^127\.0\.0\.1:\d+$/)
  })

  await t.test('may be absent', async () => {
    assert.deepEqual((await at('off')).addresses, [])
  })

  await t.test('is reported if it is in use', async (t) => {
    const taken = createServer().listen(0, '127.0.0.1')
    t.after(() => taken.close())
    await once(taken, 'listening')
    const { port } = taken.address() as { port: number }
    await assert.rejects(at({ host: '127.0.0.1', port }), {
      code: 'EADDRINUSE',
      message: new RegExp(String(port)),
    })
  })
})

test('closing a server ends open requests', async () => {
  const hanging: AdminEndpoint = {
    path: '/hang',
    methods: ['GET'],
    summary: 'never ends',
    handle: ({ res }) => void res.write('so far'),
  }
  const server = await serveEndpoints({ address: anyPort, endpoints: [hanging] })
  const [host, port] = (server.addresses[0] ?? '').split(':')
  const req = request({ host, port, path: '/hang' }).end()
  const [res] = (await once(req, 'response')) as [IncomingMessage]
  await once(res, 'data')
  const cut = assert.rejects(once(res, 'end'), { code: 'ECONNRESET' })
  await server.close(0)
  await cut
})

test('the readiness endpoint', async (t) => {
  const readiness = new Readiness()
  const server = await serveEndpoints({ address: anyPort, endpoints: [readinessEndpoint(readiness)] })
  t.after(() => server.close(0))
  const send = (options: Parameters<typeof call>[2] = {}) =>
    call(server.addresses[0] ?? '', '/healthz/ready', options)

  await t.test('lists what is pending, sorted, and replies ready after that', async () => {
    const ports = readiness.pending('ports')
    const configuration = readiness.pending('configuration')
    const waiting = await send({ headers: { host: 'a-pod.example' } })
    assert.deepEqual([waiting.status, waiting.text], [500, 'not ready, pending: configuration, ports\n'])
    ports()
    configuration()
    const ready = await send()
    assert.deepEqual([ready.status, ready.text], [200, 'ready\n'])
  })

  await t.test('replies 405 without a body to another method', async () => {
    const { status, text } = await send({ method: 'POST' })
    assert.deepEqual([status, text], [405, ''])
  })

  await t.test('accepts a PROXY header, and closes a connection with a broken one', async (t) => {
    const proxied = await serveEndpoints({
      address: anyPort,
      endpoints: [readinessEndpoint(readiness)],
      acceptsProxyHeader: true,
    })
    t.after(() => proxied.close(0))
    const request = 'GET /healthz/ready HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'
    const source = { address: '192.0.2.1', port: 5000 }
    const headers = {
      none: '',
      'version 1': 'PROXY TCP4 192.0.2.1 192.0.2.2 5000 15021\r\n',
      'version 2': encodeProxyV2({ source, destination: source }),
    }
    for (const [name, header] of Object.entries(headers)) {
      const answer = await exchangeBytes(
        proxied.addresses[0] ?? '',
        Buffer.concat([Buffer.from(header), Buffer.from(request)]),
      )
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nready\n$/, name)
    }
    assert.equal(
      await exchangeBytes(proxied.addresses[0] ?? '', Buffer.from(`PROXY TCP9 x\r\n${request}`)),
      '',
    )
  })

  await t.test('is not ready once draining begins', async () => {
    readiness.drain()
    assert.deepEqual([(await send()).status, (await send()).text], [500, 'not ready, pending: draining\n'])
  })
})

/** What a server sends in response to these bytes until it closes the connection. */
const exchangeBytes = async (address: string, bytes: Buffer): Promise<string> => {
  using client = await RawClient.to(Number(address.split(':')[1]))
  client.send(bytes)
  return await client.end()
}

test('the admin endpoints', async (t) => {
  const order: string[] = []
  const quit = quitEndpoint(() => {
    order.push('quit')
    return Promise.resolve()
  })
  const counted: FamilyPart = {
    ...{ name: 'a', type: 'counter', help: 'b', merge: 'sum' },
    series: [{ labels: '', value: 1 }],
  }
  const stats = statsEndpoints(metricsReport({ parts: () => Promise.resolve([counted]) }))
  const index = indexPage('1.2.3 <dev>', [quit, hello])
  const server = await serveEndpoints({ address: anyPort, endpoints: [index, quit, ...stats] })
  t.after(() => server.close(0))
  const send = (path: string, options: Parameters<typeof call>[2] = {}) =>
    call(server.addresses[0] ?? '', path, options)

  await t.test('/quitquitquit begins the shutdown on POST only', async () => {
    assert.equal((await send('/quitquitquit')).status, 405)
    const { status, text } = await send('/quitquitquit', { method: 'POST' })
    assert.deepEqual([status, text, order], [200, 'shutdown now\n', ['quit']])
  })

  await t.test('/ lists the other endpoints', async () => {
    const { text, headers } = await send('/')
    assert.match(text, /<code>POST<\/code><td>\/quitquitquit<td>shuts down gracefully/)
    assert.match(text, /<a href="\/hello">/)
    assert.match(text, /Version 1\.2\.3 &#60;dev&#62;/)
    assert.match(String(headers['content-security-policy']), /default-src 'none'/)
  })

  await t.test('/metrics and /stats/prometheus return the same text for any method', async () => {
    for (const path of ['/metrics', '/stats/prometheus']) {
      const { text, headers } = await send(path, { method: 'PUT' })
      assert.equal(text, '# HELP a b\n# TYPE a counter\na_total 1\n# EOF\n')
      assert.equal(headers['content-type'], 'text/plain;charset=utf-8')
    }
    const { headers } = await send('/metrics', {
      headers: { accept: 'application/openmetrics-text;q=1, */*' },
    })
    assert.match(String(headers['content-type']), /^application\/openmetrics-text; version=1\.0\.0/)
  })
})

test('errors that quote a request have no control characters', async (t) => {
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [{ path: '/a', methods: ['GET'], summary: '', handle: ({ res }) => replyText(res, 200, '') }],
    hosts: [],
  })
  t.after(() => server.close(0))
  const [address = ''] = server.addresses
  assert.equal(
    (await call(address, '/a?x%1b%5b2J%c2%9b')).text,
    'unknown parameter: x\\u001b[2J\\u009b; there are none\n',
  )
  const host = await call(address, '/a', { headers: { host: 'a\u009b31m' } })
  assert.equal(host.text, 'host not allowed: a\\u009b31m\n')
})
