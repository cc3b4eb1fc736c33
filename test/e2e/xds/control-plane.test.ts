import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, get, type IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { suite, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { ResourceSets } from '../../../src/controller/sinks/xds/resource-sets.ts'
import { sendRequest } from '../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../support/daemon.ts'
import { freePort } from '../../support/free-port.ts'
import { portResources, replyRoute, startXdsServer } from '../../support/xds/xds-server.ts'

const GATEWAY = 'default/web'
const environment = (port: number) => ({
  XDS_ADDRESS: `http://127.0.0.1:${port}`,
  NAMESPACE: 'default',
  GATEWAY: 'web',
})

/** Resolves when a number of configurations was in force since the start. */
const inForce = (daemon: Daemon, count: number) =>
  daemon.printed(new RegExp(`(?:configuration in force[^]*){${count}}`))

const bodyOf = async (port: number, path: string) =>
  (await sendRequest(`http://127.0.0.1:${port}`, path)).text

suite('a gateway with a control plane', () => {
  test('is ready with the first set of resources, and not before', async () => {
    const sets = new ResourceSets()
    await using server = await startXdsServer({ sets })
    const port = await freePort()
    sets.set(GATEWAY, [...portResources(port), replyRoute('hello', 'hello')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await daemon.printed(/the control plane cannot be reached/)
    const before = await sendRequest(daemon.url('readiness'), '/healthz/ready')
    assert.deepEqual([before.status, before.text], [500, 'not ready, pending: control plane\n'])
    sets.synced()
    await inForce(daemon, 2)
    const after = await sendRequest(daemon.url('readiness'), '/healthz/ready')
    assert.deepEqual([after.status, after.text], [200, 'ready\n'])
    assert.equal(await bodyOf(port, '/hello'), 'hello')
  })

  test('shows what it has of the control plane, what it has refused, and whether it is connected', async () => {
    const first = await startXdsServer({ port: await freePort() })
    const port = await freePort()
    const accepted = [...portResources(port), replyRoute('a', 'one')]
    const poisoned = xdsResource(
      'route',
      'HTTPRoute/default/b/00',
      { matches: [{ path: { pathPrefix: 'b' } }] },
      ['default/web/http'],
    )
    first.sets.set(GATEWAY, [...accepted, poisoned])
    await using daemon = await startDaemon(anyPorts, { env: environment(first.port) })
    await inForce(daemon, 2)
    await daemon.printed(/a resource of the control plane is refused/)
    interface Shown {
      readonly connected: boolean
      readonly since: string
      readonly error?: string
      readonly resources: readonly { readonly name: string; readonly version: string }[]
      readonly refused: readonly { readonly name: string; readonly problem: string }[]
    }
    const shown = async () => {
      const { text } = await sendRequest(daemon.url('admin'), '/config_dump')
      return (JSON.parse(text) as { readonly controlPlane: Shown }).controlPlane
    }
    const connected = await shown()
    assert.deepEqual([connected.connected, connected.error], [true, undefined])
    const published = accepted.map(({ kind, key, version }) => ({ name: `${kind}/${key}`, version }))
    const byName = (a: { readonly name: string }, b: { readonly name: string }) => (a.name < b.name ? -1 : 1)
    assert.deepEqual(connected.resources.toSorted(byName), published.toSorted(byName))
    assert.deepEqual(
      connected.refused.map(({ name }) => name),
      ['route/HTTPRoute/default/b/00'],
    )
    assert.match(connected.refused[0]?.problem ?? '', /pathPrefix/)
    await first[Symbol.asyncDispose]()
    await daemon.printed(/the control plane cannot be reached/)
    const away = await shown()
    assert.deepEqual([away.connected, away.resources.length], [false, published.length])
    assert.ok(away.since >= connected.since && (away.error ?? '') !== '', JSON.stringify(away))
    await using second = await startXdsServer({ port: first.port })
    second.sets.set(GATEWAY, accepted)
    await daemon.printed(/(?:connected to the control plane[^]*){2}/)
    assert.deepEqual([(await shown()).connected, (await shown()).refused], [true, []])
  })

  test('has the routes of its file beside those that it was sent, and a reload of one keeps the other', async () => {
    await using server = await startXdsServer()
    const [port, own] = [await freePort(), await freePort()]
    const file = (body: string) => `${anyPorts}
gateways: { own: { port: ${own}, address: 127.0.0.1 } }
routes: [{ gateways: own, policies: { directResponse: { status: 200, body: ${body} } } }]
`
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('sent', 'sent')])
    await using daemon = await startDaemon(file('one'), { env: environment(server.port) })
    await inForce(daemon, 2)
    assert.deepEqual([await bodyOf(own, '/'), await bodyOf(port, '/sent')], ['one', 'sent'])
    daemon.rewrite(file('two'))
    await inForce(daemon, 3)
    assert.deepEqual([await bodyOf(own, '/'), await bodyOf(port, '/sent')], ['two', 'sent'])
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('sent', 'again')])
    await inForce(daemon, 4)
    assert.deepEqual([await bodyOf(own, '/'), await bodyOf(port, '/sent')], ['two', 'again'])
  })

  test('refuses a resource that it cannot use, keeps the one before, and takes the rest', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = portResources(port)
    server.sets.set(GATEWAY, [...base, replyRoute('a', 'one'), replyRoute('b', 'one')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    const poisoned = xdsResource(
      'route',
      'HTTPRoute/default/a/00',
      { name: 'a', matches: [{ path: { pathPrefix: 'a' } }] },
      ['default/web/http'],
    )
    server.sets.set(GATEWAY, [...base, poisoned, replyRoute('b', 'two')])
    const { role, node, message } = await server.nextRejection()
    assert.deepEqual([role, node], [GATEWAY, 'agentgateway~127.0.0.1~web.default~default.svc.cluster.local'])
    assert.equal(
      message,
      'route/HTTPRoute/default/a/00: matches[0].path.pathPrefix: "a" must start with "/"\n    hint: did you mean "/a"?',
    )
    await inForce(daemon, 3)
    assert.deepEqual([await bodyOf(port, '/a'), await bodyOf(port, '/b')], ['one', 'two'])
    server.sets.set(GATEWAY, [...base, replyRoute('a', 'mended'), replyRoute('b', 'two')])
    await inForce(daemon, 4)
    assert.equal(await bodyOf(port, '/a'), 'mended')
  })

  test('keeps the last configuration while the control plane cannot be reached', async () => {
    const port = await freePort()
    const first = await startXdsServer({ port: await freePort() })
    const base = [...portResources(port), replyRoute('a', 'one')]
    first.sets.set(GATEWAY, [...base, replyRoute('gone', 'gone')])
    await using daemon = await startDaemon(anyPorts, { env: environment(first.port) })
    await inForce(daemon, 2)
    await first.close()
    await daemon.printed(/the control plane cannot be reached/)
    assert.equal(await bodyOf(port, '/a'), 'one')
    await using second = await startXdsServer({ port: first.port })
    second.sets.set(GATEWAY, [...base, replyRoute('b', 'two')])
    second.sets.synced()
    await daemon.printed(/connected to the control plane[^]*connected to the control plane/)
    while ((await bodyOf(port, '/b')) !== 'two') await setImmediate()
    assert.deepEqual([await bodyOf(port, '/a'), await bodyOf(port, '/gone')], ['one', 'route not found'])
  })

  test('changes routes without losing a request', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = portResources(port)
    server.sets.set(GATEWAY, [...base, replyRoute('a', '0')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    const agent = new Agent({ keepAlive: true, maxSockets: 8 })
    const request = async (): Promise<string> => {
      const [response] = (await once(get({ host: '127.0.0.1', port, path: '/a', agent }), 'response')) as [
        IncomingMessage,
      ]
      assert.equal(response.statusCode, 200)
      return text(response)
    }
    const seen = new Set<string>()
    let isOver = false
    const load = Array.from({ length: 8 }, async () => {
      while (!isOver) seen.add(await request())
    })
    while (!seen.has('0')) await setImmediate()
    for (let version = 1; version <= 30; version++) {
      server.sets.set(GATEWAY, [
        ...base,
        replyRoute('a', String(version)),
        replyRoute(`other${version}`, 'x'),
      ])
      while (!seen.has(String(version))) await setImmediate()
    }
    isOver = true
    await Promise.all(load)
    agent.destroy()
    assert.equal(seen.size, 31)
  })

  test('gets nothing with the token of another gateway', async () => {
    await using server = await startXdsServer({
      authenticate: () => Promise.resolve({ namespace: 'default', name: 'other' }),
    })
    server.sets.set(GATEWAY, portResources(await freePort()))
    server.sets.synced()
    await using daemon = await startDaemon(anyPorts, {
      env: { ...environment(server.port), XDS_HEADER_AUTHORIZATION: 'Bearer stolen' },
    })
    await daemon.printed(/requested gateway default\/web but authenticated as default\/other/)
    assert.equal((await sendRequest(daemon.url('readiness'), '/healthz/ready')).status, 500)
    assert.doesNotMatch(daemon.output(), /stolen/)
  })

  test('shows in the dump where each resource came from', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    server.sets.set(GATEWAY, [
      ...portResources(port),
      replyRoute('a', 'a'),
      xdsResource('service', 'team/web.team.svc.cluster.local', {
        name: 'web',
        namespace: 'team',
        hostname: 'web.team.svc.cluster.local',
        ports: { 80: 8080 },
      }),
      xdsResource('workload', 'team/web/10.0.0.1', {
        uid: 'team/web/10.0.0.1',
        workloadIps: ['10.0.0.1'],
        services: { 'team/web.team.svc.cluster.local': { 80: 8080 } },
      }),
    ])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    const dump = JSON.parse((await sendRequest(daemon.url('admin'), '/config_dump')).text) as {
      services: { hostname: string; origin: string }[]
      workloads: { uid: string; origin: string }[]
      binds: {
        origin: string
        listeners: Record<string, { origin: string; routes: Record<string, { origin: string }> }>
      }[]
    }
    assert.equal(dump.services[0]?.hostname, 'web.team.svc.cluster.local')
    assert.equal(dump.services[0].origin, 'xds:service/team/web.team.svc.cluster.local')
    assert.equal(dump.workloads[0]?.uid, 'team/web/10.0.0.1')
    assert.equal(dump.workloads[0].origin, 'xds:workload/team/web/10.0.0.1')
    assert.match(dump.binds[0]?.origin ?? '', /^xds:bind\/bind\//)
    const listener = dump.binds[0]?.listeners['default/web/http']
    assert.equal(listener?.origin, 'xds:listener/default/web/http')
    assert.deepEqual(
      Object.values(listener.routes).map(({ origin }) => origin),
      ['xds:route/HTTPRoute/default/a/00'],
    )
  })
})
