import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { suite, test } from 'node:test'
import { type XdsResource, xdsResource } from '../../../src/config/xds/xds-resource.ts'
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

/** Resolves when a number of configurations was in force since the start, whole or in part. */
const inForce = (daemon: Daemon, count: number) =>
  daemon.printed(new RegExp(`(?:(?:configuration in force|only a part of the configuration)[^]*){${count}}`))

const bodyOf = async (port: number, path: string) =>
  (await sendRequest(`http://127.0.0.1:${port}`, path)).text

const mcpBackend = (target: object): XdsResource =>
  xdsResource('backend', 'tools', { name: 'tools', mcp: { targets: [{ name: 't', mcp: target }] } })

/** Each resource alone passes the checks: that it leads to itself is found when it is compiled. */
const sound = mcpBackend({ host: 'before.test:1/mcp' })
const circular = mcpBackend({ backend: '/tools', path: '/mcp' })
const circularProblem =
  'backend/tools: MCP target t: "/tools" must be a backend with a host, and has the type mcp'

const toTools = xdsResource(
  'route',
  'HTTPRoute/default/tools/00',
  {
    name: 'tools',
    namespace: 'default',
    matches: [{ path: { exact: '/tools' } }],
    backends: [{ backend: '/tools' }],
  },
  ['default/web/http'],
)

suite('an update of which a resource cannot be compiled', () => {
  test('is refused with its name and its problem; the version before stays, and the rest is taken', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const base = [...portResources(port), toTools]
    server.sets.set(GATEWAY, [...base, sound, replyRoute('a', 'one')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await inForce(daemon, 2)
    server.sets.set(GATEWAY, [...base, circular, replyRoute('a', 'two'), replyRoute('b', 'new')])
    const { role, message } = await server.nextRejection()
    assert.equal(role, GATEWAY)
    assert.equal(message, circularProblem)
    await inForce(daemon, 3)
    assert.deepEqual([await bodyOf(port, '/a'), await bodyOf(port, '/b')], ['two', 'new'])
    const dump = (await sendRequest(daemon.url('admin'), '/config_dump')).text
    assert.match(dump, /before\.test/, 'the backend is the one before')
    await daemon.printed(/a resource of the control plane is refused.*backend\/tools/)
    const repaired = mcpBackend({ host: 'after.test:1/mcp' })
    server.sets.set(GATEWAY, [...base, repaired, replyRoute('a', 'three'), replyRoute('b', 'new')])
    await inForce(daemon, 4)
    assert.equal(await bodyOf(port, '/a'), 'three')
    assert.match((await sendRequest(daemon.url('admin'), '/config_dump')).text, /after\.test/)
  })

  test('may be the first one, and the gateway is ready with the others', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    server.sets.set(GATEWAY, [...portResources(port), toTools, circular, replyRoute('a', 'one')])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    assert.equal((await server.nextRejection()).message, circularProblem)
    await inForce(daemon, 2)
    assert.equal(await bodyOf(port, '/a'), 'one')
    assert.equal((await sendRequest(daemon.url('readiness'), '/healthz/ready')).status, 200)
  })
})

suite('a bind whose port cannot be opened', () => {
  test('is refused with its address, and is opened with an update once the port is free', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const occupant = createServer().listen(await freePort(), '127.0.0.1')
    await once(occupant, 'listening')
    const { port: taken } = occupant.address() as { port: number }
    const other = [
      xdsResource('bind', `bind/${taken}`, { port: taken, address: '127.0.0.1' }),
      xdsResource('listener', 'default/web/other', { name: 'other', protocol: 'HTTP' }, [`bind/${taken}`]),
      xdsResource(
        'route',
        'HTTPRoute/default/other/00',
        { name: 'other', policies: { directResponse: { status: 200, body: 'other' } } },
        ['default/web/other'],
      ),
    ]
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('a', 'one'), ...other])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    const { message } = await server.nextRejection()
    assert.match(message, new RegExp(`^bind/bind/${taken}: .*127\\.0\\.0\\.1:${taken}.*`))
    await inForce(daemon, 2)
    assert.equal(await bodyOf(port, '/a'), 'one')
    occupant.close()
    await once(occupant, 'close')
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('a', 'two'), ...other])
    await inForce(daemon, 3)
    assert.deepEqual([await bodyOf(port, '/a'), await bodyOf(taken, '/')], ['two', 'other'])
  })

  test('is refused once, and not with every update of others', async () => {
    await using server = await startXdsServer()
    const port = await freePort()
    const occupant = createServer().listen(await freePort(), '127.0.0.1')
    await once(occupant, 'listening')
    const { port: taken } = occupant.address() as { port: number }
    const closed = [
      xdsResource('bind', `bind/${taken}`, { port: taken, address: '127.0.0.1' }),
      xdsResource('listener', 'default/web/other', { name: 'other', protocol: 'HTTP' }, [`bind/${taken}`]),
    ]
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('a', '1'), ...closed])
    await using daemon = await startDaemon(anyPorts, { env: environment(server.port) })
    await server.nextRejection()
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('a', '2'), ...closed])
    await inForce(daemon, 3)
    const poisoned = xdsResource('backend', 'x', { name: 'x', unknown: 1 } as never)
    server.sets.set(GATEWAY, [...portResources(port), replyRoute('a', '2'), ...closed, poisoned])
    assert.match((await server.nextRejection()).message, /^backend\/x: [^]*$/)
    occupant.close()
  })
})
