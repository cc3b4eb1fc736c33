import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import type { HTTPRouteRule } from '../../../../src/controller/kinds/http-route.ts'
import { routeRules } from '../../../../src/controller/translate/rule/route-rules.ts'
import { sendRequest } from '../../../support/send-request.ts'
import { anyPorts, type Daemon, startDaemon } from '../../../support/daemon.ts'
import { echoed, startEcho } from '../../../support/echo-upstream.ts'

const names = ['a', 'b', 'c']

/** A gateway with the route that a rule becomes; its Services have an endpoint each. */
const startWith = async (
  sessionPersistence: NonNullable<HTTPRouteRule['sessionPersistence']>,
  hosts: readonly string[],
): Promise<Daemon> => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  })
  for (const name of names)
    graph.set('Service', `shop/${name}`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { namespace: 'shop', name },
      spec: { ports: [{ port: 80 }] },
    })
  graph.set('HTTPRoute', 'shop/route', {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: { namespace: 'shop', name: 'route' },
    spec: { rules: [{ sessionPersistence, backendRefs: names.map((name) => ({ name, port: 80 })) }] },
  })
  const [rule] = graph.read(routeRules, 'HTTPRoute/shop/route')
  assert.deepEqual(rule?.problems, [])
  const services = names.map((name) => ({
    name,
    namespace: 'shop',
    hostname: `${name}.shop.svc.cluster.local`,
    ports: { 80: 80 },
  }))
  const workloads = names.map((name, index) => ({
    uid: name,
    workloadIps: ['127.0.0.1'],
    services: { [`shop/${name}.shop.svc.cluster.local`]: { 80: Number(hosts[index]?.split(':')[1]) } },
  }))
  return await startDaemon(
    `${anyPorts}\n${[
      'gateways: { default: { port: 0, address: 127.0.0.1 } }',
      `routes: ${JSON.stringify([rule.resource?.model])}`,
      `services: ${JSON.stringify(services)}`,
      `workloads: ${JSON.stringify(workloads)}`,
    ].join('\n')}\n`,
  )
}

suite('session persistence', () => {
  test('keeps a client that returns its cookie at one backend, and distributes others', async () => {
    await using stack = new AsyncDisposableStack()
    const echoes = await Promise.all(names.map(async (name) => stack.use(await startEcho(name))))
    const daemon = stack.use(
      await startWith(
        { sessionName: 'sticky' },
        echoes.map(({ host }) => host),
      ),
    )
    const reached = new Set<string>()
    for (let client = 0; client < 24; client++) {
      const first = await sendRequest(daemon.url('default'), '/')
      const [cookie = ''] = first.headers['set-cookie'] ?? []
      assert.match(cookie, /^sticky=[0-9a-f-]{36}; Path=\/; HttpOnly$/)
      const [pair = ''] = cookie.split(';')
      const again = await sendRequest(daemon.url('default'), '/', {
        headers: { cookie: `theme=dark; ${pair}` },
      })
      assert.equal(echoed(again).name, echoed(first).name)
      reached.add(echoed(first).name)
    }
    assert.deepEqual(reached, new Set(names))
  })

  test('keeps a client that returns its header at one backend', async () => {
    await using stack = new AsyncDisposableStack()
    const echoes = await Promise.all(names.map(async (name) => stack.use(await startEcho(name))))
    const daemon = stack.use(
      await startWith(
        { type: 'Header', sessionName: 'X-Session' },
        echoes.map(({ host }) => host),
      ),
    )
    for (let client = 0; client < 6; client++) {
      const first = await sendRequest(daemon.url('default'), '/')
      const session = String(first.headers['x-session'])
      assert.match(session, /^[0-9a-f-]{36}$/)
      const again = await sendRequest(daemon.url('default'), '/', { headers: { 'x-session': session } })
      assert.equal(again.headers['x-session'], session)
      assert.equal(echoed(again).name, echoed(first).name)
    }
  })

  const lifetimes = [
    // Whoever comes back in time has an hour again.
    [{ idleTimeout: '1h' }, [/; Max-Age=3600$/, /; Max-Age=3600$/]],
    // The hour began with the first reply.
    [{ absoluteTimeout: '1h' }, [/; Max-Age=3600$/, undefined]],
  ] as const
  for (const [timeouts, [first, again]] of lifetimes)
    test(`gives a permanent cookie the lifetime of ${Object.keys(timeouts).join()}`, async () => {
      await using stack = new AsyncDisposableStack()
      const echoes = await Promise.all(names.map(async (name) => stack.use(await startEcho(name))))
      const persistence = {
        sessionName: 'sticky',
        cookieConfig: { lifetimeType: 'Permanent' } as const,
        ...timeouts,
      }
      const daemon = stack.use(
        await startWith(
          persistence,
          echoes.map(({ host }) => host),
        ),
      )
      const reply = await sendRequest(daemon.url('default'), '/')
      const [cookie = ''] = reply.headers['set-cookie'] ?? []
      assert.match(cookie, first)
      const [pair = ''] = cookie.split(';')
      const next = await sendRequest(daemon.url('default'), '/', { headers: { cookie: pair } })
      const [renewed] = next.headers['set-cookie'] ?? []
      if (again) assert.match(renewed ?? '', again)
      else assert.equal(renewed, undefined)
    })
})
