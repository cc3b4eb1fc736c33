import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { once } from 'node:events'
import { test } from 'node:test'
import { replyText, type AdminEndpoint } from '../../src/admin/endpoint.ts'
import { limitConnections } from '../../src/admin/server/connections.ts'
import { serveEndpoints } from '../../src/admin/server/endpoint-server.ts'
import { call } from '../support/admin-call.ts'
import { RawClient, statusesIn } from '../support/raw-client.ts'
import { until } from '../support/stream-body.ts'

const hello: AdminEndpoint = {
  path: '/hello',
  methods: ['GET', 'POST'],
  summary: 'says hello',
  takesBody: true,
  handle: ({ res }) => replyText(res, 200, 'hello\n'),
}
const serve = async (hosts?: readonly string[], acceptsProxyHeader = false) => {
  const server = await serveEndpoints({
    address: { host: '127.0.0.1', port: 0 },
    endpoints: [hello],
    acceptsProxyHeader,
    ...(hosts ? { hosts } : {}),
  })
  const [address = ''] = server.addresses
  return { address, port: Number(address.split(':')[1]), [Symbol.asyncDispose]: () => server.close(0) }
}

const MOST = 256
const head = 'GET /hello HTTP/1.1\r\nHost: localhost\r\n'

/** Connections that send these bytes and nothing else, and read the reply or not. */
const crowd = async (
  port: number,
  bytes: string,
  reads = true,
): Promise<Disposable & { sockets: Socket[] }> => {
  const sockets: Socket[] = []
  for (let i = 0; i < MOST; i++) {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    if (reads) socket.resume()
    else socket.pause()
    await once(socket, 'connect')
    if (bytes) socket.write(bytes)
    sockets.push(socket)
  }
  return {
    sockets,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

for (const [what, bytes] of [
  ['send nothing', ''],
  ['send half a head', head],
  ['stay open after their reply', `${head}\r\n`],
  ['send half a body', `POST /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\nx`],
] as const)
  for (const acceptsProxyHeader of [false, true])
    test(`readiness is served beside ${MOST} connections that ${what}${acceptsProxyHeader ? ', where PROXY headers are accepted' : ''}`, async () => {
      await using server = await serve(undefined, acceptsProxyHeader)
      using others = await crowd(server.port, bytes)
      for (let i = 0; i < 5; i++) assert.equal((await call(server.address, '/hello')).text, 'hello\n')
      const [oldest] = others.sockets
      await until(() => oldest?.destroyed === true, 'the end of the oldest connection')
    })

test('for new connections only the oldest are closed, no more than necessary', async () => {
  // Without the time limits of admin servers, which close connections as well.
  const server = createServer((_, res) => res.end('hello'))
  limitConnections(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  using others = await crowd(port, '')
  for (let i = 0; i < 5; i++) assert.equal((await call(`127.0.0.1:${port}`, '/')).text, 'hello')
  const [oldest] = others.sockets
  await until(() => oldest?.destroyed === true, 'the end of the oldest connection')
  const closed = others.sockets.flatMap((socket, i) => (socket.destroyed ? [i] : []))
  assert.ok(
    closed.every((i) => i < 6),
    closed.join(),
  )
  server.closeAllConnections()
  server.close()
})

test('connections whose clients do not read are closed for new ones, but not those with a reply in progress', async () => {
  // More than the buffers of two sockets hold.
  const large = Buffer.alloc(30_000_000)
  const waiting: (() => void)[] = []
  const server = createServer((req, res) => {
    if (req.url === '/large') res.end(large)
    else if (req.url === '/wait') waiting.push(() => res.end('waited'))
    else res.end('hello')
  })
  limitConnections(server, 3)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const get = async (path: string) => {
    const client = await RawClient.to(port)
    client.send(`GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`)
    return client
  }
  using waiter = await get('/wait')
  using stuck = await get('/large')
  await stuck.until('HTTP/1.1 200')
  stuck.socket.pause()
  using other = await get('/wait')
  await until(() => waiting.length === 2, 'two requests')
  using newcomer = await get('/hello')
  await newcomer.until('hello')
  for (const answer of waiting) answer()
  await waiter.until('waited')
  await other.until('waited')
  stuck.socket.resume()
  assert.ok((await stuck.end()).length < large.length)
  server.closeAllConnections()
  server.close()
})

test('a request head that does not end within seconds closes its connection', async () => {
  await using server = await serve()
  const began = performance.now()
  using client = await RawClient.to(server.port)
  client.send(head)
  assert.match(await client.end(), /^HTTP\/1\.1 408 /)
  assert.ok(performance.now() - began >= 2_500)
})

const refused: readonly [name: string, status: number, head: string][] = [
  ['two hosts', 400, 'GET /hello HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n'],
  ['two hosts that agree', 400, 'GET /hello HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\n'],
  ['no host', 400, 'GET /hello HTTP/1.1\r\n'],
  ['a foreign absolute target', 403, 'GET http://evil.example/hello HTTP/1.1\r\nHost: localhost\r\n'],
  [
    'a foreign absolute target in capitals',
    403,
    'GET HTTP://EVIL.example/hello HTTP/1.1\r\nHost: localhost\r\n',
  ],
  [
    'an absolute target with a user',
    403,
    'GET http://localhost@evil.example/hello HTTP/1.1\r\nHost: localhost\r\n',
  ],
  ['an absolute target without a host', 403, 'GET http:///hello HTTP/1.1\r\nHost: localhost\r\n'],
  [
    'an absolute target of ours and a foreign host',
    403,
    'GET http://localhost/hello HTTP/1.1\r\nHost: evil.example\r\n',
  ],
  ['two slashes', 404, 'GET //evil.example/hello HTTP/1.1\r\nHost: localhost\r\n'],
  ['a backslash', 400, 'GET \\\\evil.example/hello HTTP/1.1\r\nHost: localhost\r\n'],
  ['another scheme', 404, 'GET ftp://localhost/hello HTTP/1.1\r\nHost: localhost\r\n'],
  ['HTTP/2.0', 400, 'GET /hello HTTP/2.0\r\nHost: localhost\r\n'],
  ['RTSP', 400, 'GET /hello RTSP/1.0\r\nHost: localhost\r\n'],
  ['HTTP/0.9', 400, 'GET /hello HTTP/0.9\r\nHost: localhost\r\n'],
  ['an absolute target of ours', 200, 'GET http://127.0.0.1:15000/hello HTTP/1.1\r\nHost: localhost\r\n'],
]
for (const [name, status, text] of refused)
  test(`the admin server replies ${status} to ${name}`, async () => {
    await using server = await serve([])
    using client = await RawClient.to(server.port)
    client.send(`${text}Connection: close\r\n\r\n`)
    assert.deepEqual(statusesIn(await client.end()), [status])
  })
