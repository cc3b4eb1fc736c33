import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { after, before, suite, test } from 'node:test'
import { WebSocket, WebSocketServer } from 'ws'
import { sendRequest } from '../../support/send-request.ts'
import { type Daemon, startDaemon } from '../../support/daemon.ts'
import { echoed, type EchoUpstream, startEcho } from '../../support/echo-upstream.ts'
import { httpServer, listening, type UpstreamServer } from '../../support/upstream-servers.ts'
import { configurationOf, type TestEndpoint, type TestService, toService } from './configuration.ts'

/** A route to each service, by its name in the path. */
const routesTo = (services: readonly TestService[]) =>
  services.map(({ name }) => ({
    name,
    matches: [{ path: { pathPrefix: `/${name}` } }],
    backends: [toService(name)],
  }))

suite('endpoints of a service', () => {
  let a: EchoUpstream
  let b: EchoUpstream
  let c: EchoUpstream
  let daemon: Daemon

  const services = (): readonly TestService[] => [
    {
      name: 'weighted',
      endpoints: [{ port: a.port, fields: { capacity: 3 } }, { port: b.port }],
    },
    {
      name: 'leaving',
      endpoints: [{ port: a.port, fields: { terminating: true } }, { port: b.port }],
    },
    { name: 'left', endpoints: [{ port: a.port, fields: { terminating: true } }] },
    {
      name: 'near',
      fields: { trafficDistribution: 'PreferSameZone' },
      endpoints: [
        { port: a.port, fields: { locality: { zone: 'far' } } },
        { port: b.port, fields: { locality: { zone: 'here' } } },
        { port: c.port, fields: { locality: { zone: 'here' }, terminating: true } },
      ],
    },
    {
      name: 'nearest',
      fields: { trafficDistribution: 'PreferSameNode' },
      endpoints: [
        { port: a.port, fields: { locality: { zone: 'here' } } },
        { port: b.port, fields: { locality: { zone: 'here' }, node: 'node-1' } },
      ],
    },
    {
      name: 'far',
      fields: { trafficDistribution: 'PreferSameZone' },
      endpoints: [{ port: a.port, fields: { locality: { zone: 'far' } } }],
    },
    {
      name: 'down',
      endpoints: [{ port: a.port, fields: { status: 'Unhealthy' } }, { port: b.port }],
    },
    { name: 'none', endpoints: [] },
    {
      name: 'sticky',
      fields: { sessionAffinity: { clientIP: { timeout: '1h' } } },
      endpoints: [{ port: a.port }, { port: b.port }, { port: c.port }],
    },
  ]

  before(async () => {
    ;[a, b, c] = (await Promise.all(['a', 'b', 'c'].map((name) => startEcho(name)))) as [
      EchoUpstream,
      EchoUpstream,
      EchoUpstream,
    ]
    daemon = await startDaemon(configurationOf(routesTo(services()), services()), {
      env: { ZONE: 'here', NODE_NAME: 'node-1' },
    })
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [a, b, c]) await server[Symbol.asyncDispose]()
  })

  const reached = async (service: string, count = 8): Promise<Readonly<Record<string, number>>> => {
    const names: Record<string, number> = {}
    for (let i = 0; i < count; i++) {
      const { name } = echoed(await sendRequest(daemon.url('default'), `/${service}`))
      names[name] = (names[name] ?? 0) + 1
    }
    return names
  }

  test('receive requests in proportion to their capacity', async () => {
    assert.deepEqual(await reached('weighted', 16), { a: 12, b: 4 })
  })

  test('receive none while they terminate, if there is another one', async () => {
    assert.deepEqual(await reached('leaving'), { b: 8 })
  })

  test('receive requests while they terminate, if there is no other one', async () => {
    assert.deepEqual(await reached('left'), { a: 8 })
  })

  test('of the same zone are preferred', async () => {
    assert.deepEqual(await reached('near'), { b: 8 })
  })

  test('of the same node are preferred', async () => {
    assert.deepEqual(await reached('nearest'), { b: 8 })
  })

  test('of another zone are used if there is none of the same', async () => {
    assert.deepEqual(await reached('far'), { a: 8 })
  })

  test('that are unhealthy receive none', async () => {
    assert.deepEqual(await reached('down'), { b: 8 })
  })

  test('keep their clients', async () => {
    const [only, ...others] = Object.entries(await reached('sticky', 16))
    assert.deepEqual([only?.[1], others], [16, []])
  })

  test('are needed: without them the reply is 503', async () => {
    assert.equal((await sendRequest(daemon.url('default'), '/none')).status, 503)
  })
})

test('a client keeps its endpoint over changes of the others, and gets another one when it is gone', async () => {
  const servers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => startEcho(name)))
  await using _ = {
    [Symbol.asyncDispose]: () =>
      Promise.all(servers.map((one) => one[Symbol.asyncDispose]())).then(() => undefined),
  }
  const configured = (names: readonly string[]) => {
    const service = {
      name: 'sticky',
      fields: { sessionAffinity: { clientIP: {} } },
      endpoints: servers.flatMap(({ port }, i) => (names.includes('abcd'[i]!) ? [{ port }] : [])),
    }
    return configurationOf(routesTo([service]), [service])
  }
  await using daemon = await startDaemon(configured(['a', 'b']))
  await daemon.printed(/configuration in force/)
  const current = async () => echoed(await sendRequest(daemon.url('default'), '/sticky')).name
  const first = await current()
  const other = first === 'a' ? 'b' : 'a'
  const reload = async (names: readonly string[]) => {
    const count = () => daemon.output().match(/configuration in force/g)?.length ?? 0
    const before = count()
    daemon.rewrite(configured(names))
    while (count() === before) await new Promise(setImmediate)
  }
  await reload([first, 'c', 'd'])
  for (let i = 0; i < 8; i++) assert.equal(await current(), first)
  await reload([other, 'c', 'd'])
  const next = await current()
  assert.notEqual(next, first)
  for (let i = 0; i < 8; i++) assert.equal(await current(), next)
})

test('a change of endpoints keeps connections to those that stay, and requests to those that go', async () => {
  await using staying = await httpServer((_, res) => res.end('staying'))
  const pending: ServerResponse[] = []
  const arrived: (() => void)[] = []
  await using going = await httpServer((_, res) => {
    pending.push(res)
    for (const wake of arrived.splice(0)) wake()
  })
  const configured = (endpoints: readonly TestEndpoint[]) => {
    const services = [
      { name: 'changing', endpoints },
      { name: 'going', endpoints: endpoints.filter(({ port }) => port === going.port) },
    ]
    return configurationOf(routesTo(services), services)
  }
  await using daemon = await startDaemon(
    configured([{ port: staying.port, fields: { capacity: 1000 } }, { port: going.port }]),
  )
  await daemon.printed(/configuration in force/)
  const changing = () => sendRequest(daemon.url('default'), '/changing').then(({ text }) => text)
  assert.equal(await changing(), 'staying')
  const arrival = new Promise<void>((resolve) => arrived.push(resolve))
  const underWay = sendRequest(daemon.url('default'), '/going')
  await arrival
  daemon.rewrite(configured([{ port: staying.port, fields: { terminating: true, node: 'other' } }]))
  while ((daemon.output().match(/configuration in force/g)?.length ?? 0) < 2) await new Promise(setImmediate)
  assert.equal(await changing(), 'staying')
  assert.equal(staying.opened(), 1)
  assert.equal((await sendRequest(daemon.url('default'), '/going')).status, 503)
  pending[0]?.end('done')
  assert.equal((await underWay).text, 'done')
})

suite('the protocol of a port of a service', () => {
  let http2: UpstreamServer
  let http1: EchoUpstream
  let sockets: UpstreamServer
  let daemon: Daemon

  before(async () => {
    http2 = await listening(createHttp2Server((req, res) => res.end(`HTTP/${req.httpVersion}`)))
    http1 = await startEcho('http1')
    const accept = new WebSocketServer({ noServer: true })
    sockets = await listening(
      createServer().on('upgrade', (req, socket, head) => {
        accept.handleUpgrade(req, socket, head, (client) => {
          client.on('message', (data) => client.send(`echo ${(data as Buffer).toString()}`))
        })
      }),
    )
    const services: TestService[] = [
      { name: 'h2c', fields: { appProtocols: { 80: 'HTTP2' } }, endpoints: [{ port: http2.port }] },
      { name: 'grpc', fields: { appProtocols: { 80: 'GRPC' } }, endpoints: [{ port: http2.port }] },
      { name: 'http11', fields: { appProtocols: { 80: 'HTTP11' } }, endpoints: [{ port: http1.port }] },
      { name: 'ws', fields: { appProtocols: { 80: 'HTTP11' } }, endpoints: [{ port: sockets.port }] },
    ]
    daemon = await startDaemon(configurationOf(routesTo(services), services))
  })
  after(async () => {
    await daemon.stop('SIGKILL')
    for (const server of [http2, http1, sockets]) await server[Symbol.asyncDispose]()
  })

  for (const name of ['h2c', 'grpc'])
    test(`is HTTP/2 by prior knowledge: ${name}`, async () => {
      const { status, text } = await sendRequest(daemon.url('default'), `/${name}`)
      assert.deepEqual([status, text], [200, 'HTTP/2.0'])
    })

  test('is HTTP/1.1, for requests of gRPC too', async () => {
    const headers = { 'content-type': 'application/grpc', te: 'trailers' }
    assert.equal(echoed(await sendRequest(daemon.url('default'), '/http11')).version, '1.1')
    assert.equal(
      echoed(await sendRequest(daemon.url('default'), '/http11', { method: 'POST', headers })).version,
      '1.1',
    )
  })

  test('may be upgraded to WebSocket', async () => {
    const url = daemon.url('default').replace('http:', 'ws:')
    const client = new WebSocket(`${url}/ws`)
    const answer = new Promise<string>((resolve, reject) => {
      client.on('open', () => client.send('hello'))
      client.on('message', (data) => resolve((data as Buffer).toString()))
      client.on('error', reject)
    })
    assert.equal(await answer, 'echo hello')
    client.terminate()
  })
})
