import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { parseConfig } from '../../../src/config/parse.ts'
import { XdsJoin } from '../../../src/config/xds/with-xds.ts'
import { type XdsResource, xdsName, xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import { portResources, replyRoute } from '../../support/xds/xds-server.ts'

const file = { ...parseConfig('{}', 'gateway.yaml', {}), name: 'gateway.yaml' }

const received = (resource: XdsResource, model: unknown = resource.model) => ({
  ...resource,
  name: xdsName(resource),
  model: typeof model === 'string' ? model : JSON.stringify(model),
})

const joinOf = (...resources: readonly XdsResource[]) => {
  const state = new XdsState(file.shared)
  const refused = state.apply({ resources: resources.map((one) => received(one)), removed: [] })
  return { state, refused, xds: new XdsJoin(state) }
}

suite('resources of a control plane', () => {
  test('become a bind with its listeners and their routes', async () => {
    const { refused, xds } = joinOf(replyRoute('a', 'a'), ...portResources(8080))
    assert.deepEqual(refused, [])
    const [bind] = (await xds.join(file)).resources.binds
    assert.deepEqual([bind?.key, bind?.port, bind?.protocol], ['bind/127.0.0.1:8080', 8080, 'http'])
    const [listener] = bind?.listeners ?? []
    assert.equal(listener?.key, 'default/web/http')
    const [route] = listener.routes
    assert.deepEqual(
      [route?.key, route?.name, route?.origin],
      [
        'default/web/http/route/HTTPRoute/default/a/00',
        'a',
        { path: 'xds:route/HTTPRoute/default/a/00', line: 0, column: 0 },
      ],
    )
  })

  test('stay the same objects while they do not change', async () => {
    const { state, xds } = joinOf(replyRoute('a', 'a'), replyRoute('b', 'b'), ...portResources(8080))
    const before = (await xds.join(file)).resources.binds[0]
    assert.equal((await xds.join(file)).resources.binds[0], before)
    state.apply({ resources: [received(replyRoute('b', 'changed'))], removed: [] })
    const after = (await xds.join(file)).resources.binds[0]
    assert.notEqual(after, before)
    assert.equal(after?.listeners[0]?.routes[0], before?.listeners[0]?.routes[0])
    assert.notEqual(after?.listeners[0]?.routes[1], before?.listeners[0]?.routes[1])
  })

  test('wait for what contains them', async () => {
    const { state, xds } = joinOf(replyRoute('a', 'a'))
    assert.deepEqual((await xds.join(file)).resources.binds, [])
    state.apply({ resources: portResources(8080).map((one) => received(one)), removed: [] })
    assert.equal((await xds.join(file)).resources.binds[0]?.listeners[0]?.routes.length, 1)
    state.apply({ resources: [], removed: ['bind/bind/8080'] })
    assert.deepEqual((await xds.join(file)).resources.binds, [])
  })

  test('come beside those of the file, on the same port too', async () => {
    const own = {
      ...parseConfig(
        `gateways: { default: { port: 8080, address: 127.0.0.1 } }
routes: [{ name: own, policies: { directResponse: { status: 200 } } }]`,
        'gateway.yaml',
        {},
      ),
      name: 'gateway.yaml',
    }
    const { xds } = joinOf(replyRoute('a', 'a'), ...portResources(8080))
    const { binds } = (await xds.join(own)).resources
    assert.deepEqual(
      binds.map(({ key, listeners }) => [
        key,
        listeners.flatMap(({ routes }) => routes.map(({ name }) => name)),
      ]),
      [['bind/127.0.0.1:8080', ['own', 'a']]],
    )
  })

  test('become a bind of its own for the datagrams of a port', async () => {
    const route = (name: string, createdAt: string) =>
      xdsResource(
        'udpRoute',
        name,
        {
          name,
          precedence: { createdAt, namespace: 'shop', name },
          backends: [{ service: { name: 'shop/dns.svc', port: 53 } }],
        },
        ['udp'],
      )
    const { state, refused, xds } = joinOf(
      xdsResource('bind', 'bind/53', { port: 53 }),
      xdsResource('listener', 'tcp', { name: 'tcp', protocol: 'TCP' }, ['bind/53']),
      xdsResource('listener', 'udp', { name: 'udp', protocol: 'UDP' }, ['bind/53']),
      route('b', '2026-01-01T00:00:00Z'),
    )
    assert.deepEqual(refused, [])
    const { binds } = (await xds.join(file)).resources
    assert.deepEqual(
      binds.map(({ key, port, protocol, listeners }) => [
        key,
        port,
        protocol,
        listeners.map((listener) => [listener.key, listener.udpRoutes?.map(({ key: name }) => name)]),
      ]),
      [
        ['bind/53', 53, 'tcp', [['tcp', undefined]]],
        ['bind/udp/53', 53, 'udp', [['udp', ['udp/udpRoute/b']]]],
      ],
    )
    // The other one is left alone.
    state.apply({ resources: [received(route('c', '2026-01-02T00:00:00Z'))], removed: [] })
    const after = (await xds.join(file)).resources.binds
    assert.equal(after[1]?.listeners[0]?.udpRoutes?.length, 2)
    assert.equal(after[0]?.listeners[0], binds[0]?.listeners[0])
    state.apply({ resources: [], removed: ['listener/udp'] })
    assert.deepEqual(
      (await xds.join(file)).resources.binds.map(({ key }) => key),
      ['bind/53'],
    )
  })

  test('have a hash that depends on what they are, and not on how they came', async () => {
    const { state, xds } = joinOf(replyRoute('a', 'a'), replyRoute('b', 'b'))
    const { hash } = await xds.join(file)
    assert.equal((await joinOf(replyRoute('b', 'b'), replyRoute('a', 'a')).xds.join(file)).hash, hash)
    state.apply({ resources: [received(replyRoute('b', 'c'))], removed: [] })
    assert.notEqual((await xds.join(file)).hash, hash)
    state.apply({ resources: [received(replyRoute('b', 'b'))], removed: [] })
    assert.equal((await xds.join(file)).hash, hash)
  })

  test('make a route of each parent, with backends of its own', async () => {
    const route = xdsResource(
      'route',
      'HTTPRoute/default/a/00',
      { name: 'a', backends: [{ host: '127.0.0.1:1' }] },
      ['default/web/http', 'default/web/other'],
    )
    const other = xdsResource('listener', 'default/web/other', { hostname: 'o.example' }, ['bind/8080'])
    const { xds } = joinOf(route, other, ...portResources(8080))
    const { backends, binds } = (await xds.join(file)).resources
    assert.deepEqual(
      binds[0]?.listeners.map(({ routes }) => routes[0]?.backends[0]?.target),
      backends.map(({ key }) => ({ kind: 'backend', key })),
    )
    assert.equal(new Set(backends.map(({ key }) => key)).size, 2)
  })
})

suite('models of a control plane', () => {
  const models = xdsResource(
    'models',
    'default/web/http',
    {
      models: [{ name: 'fast', provider: { mock: {} } }],
      virtualModels: [{ name: 'any', routing: { weighted: { targets: [{ model: 'fast' }] } } }],
    },
    ['default/web/http', 'default/web/other'],
  )

  test('have a route on each listener, after those that are more exact, and one backend', async () => {
    const other = xdsResource('listener', 'default/web/other', { hostname: 'o.example' }, ['bind/8080'])
    const { refused, xds } = joinOf(models, other, ...portResources(8080))
    assert.deepEqual(refused, [])
    const { backends, binds } = (await xds.join(file)).resources
    assert.deepEqual(
      backends.map(({ key, spec }) => [key, spec.type]),
      [['/models/default/web/http', 'llm']],
    )
    assert.deepEqual(
      binds[0]?.listeners.map(({ routes }) =>
        routes.map(({ key, backends }) => [key, backends.map(({ target }) => target)]),
      ),
      ['default/web/http', 'default/web/other'].map((listener) => [
        [`${listener}/models/default/web/http`, [{ kind: 'backend', key: '/models/default/web/http' }]],
      ]),
    )
  })

  test('are checked as those of a file are', () => {
    const name = 'models/default/web/http'
    const wrong = {
      models: [{ name: 'fast', provider: 'bedrock' }],
      virtualModels: [{ name: 'any', routing: { weighted: { targets: [{ model: 'fest' }] } } }],
      port: 4000,
    }
    const { state } = joinOf()
    const [refused] = state.apply({ resources: [received(models, wrong)], removed: [] })
    assert.equal(
      refused?.problem,
      [
        `${name}: port: unknown field`,
        `${name}: models[0]: bedrock needs params.awsRegion`,
        `${name}: virtualModels[0].routing.weighted.targets[0].model: "fest" matches none of llm.models`,
        '    hint: did you mean "fast"?',
      ].join('\n'),
    )
  })
})

suite('a policy of a control plane', () => {
  test('may call a service that comes later', () => {
    const webhook = { target: { service: { name: 'default/guard.internal', port: 80 } } }
    const policy = xdsResource('policy', 'guards', {
      name: { name: 'guards' },
      target: { route: { name: 'a' } },
      policy: { ai: { promptGuard: { request: [{ webhook }] } } },
    })
    assert.deepEqual(joinOf(policy).refused, [])
  })
})

suite('a resource that cannot be used', () => {
  const good = replyRoute('a', 'a')
  const name = 'route/HTTPRoute/default/a/00'
  const cases: readonly (readonly [what: string, model: unknown, problem: string])[] = [
    [
      'with an unknown field',
      { ...good.model, hostname: 'a' },
      `${name}: hostname: unknown field\n    hint: did you mean "hostnames"?`,
    ],
    [
      'with a wrong value inside',
      { matches: [{}, { path: { pathPrefix: 'v1' } }] },
      `${name}: matches[1].path.pathPrefix: "v1" must start with "/"\n    hint: did you mean "/v1"?`,
    ],
    ['that is no object', [], `${name}: must be an object, not a list`],
    ['that is no JSON', '{', `${name}: its model is not JSON`],
  ]
  for (const [what, model, problem] of cases)
    test(`${what} is named with its problem, and the version before stays`, async () => {
      const { state, xds } = joinOf(good, ...portResources(8080))
      const before = await xds.join(file)
      const refused = state.apply({
        resources: [received(good, model), received(replyRoute('b', 'b'))],
        removed: [],
      })
      assert.deepEqual(
        refused.map((one) => [one.name, one.problem.split('\n    hint: it takes')[0]]),
        [[name, problem]],
      )
      const routes = (await xds.join(file)).resources.binds[0]?.listeners[0]?.routes ?? []
      assert.equal(routes[0], before.resources.binds[0]?.listeners[0]?.routes[0])
      assert.equal(routes.length, 2)
    })

  test('is one of a kind that is not known, or has another name than its own', () => {
    const { state } = joinOf()
    const unknown = { ...received(good), name: 'wish/x', kind: 'wish', key: 'x' }
    const misnamed = { ...received(good), name: 'route/other' }
    assert.deepEqual(state.apply({ resources: [unknown, misnamed], removed: [] }), [
      { name: 'wish/x', problem: 'wish/x: its kind is not known' },
      { name: 'route/other', problem: `route/other: its name must be ${name}` },
    ])
  })

  test('is a bind or a listener that brings what are resources of their own', () => {
    const { state } = joinOf()
    const [bind, listener] = portResources(8080)
    assert.ok(bind && listener)
    assert.deepEqual(
      state.apply({
        resources: [
          received(bind, { ...bind.model, listeners: [] }),
          received(listener, { ...listener.model, routes: [] }),
        ],
        removed: [],
      }),
      [
        { name: 'bind/bind/8080', problem: 'bind/bind/8080: listeners: unknown field' },
        {
          name: 'listener/default/web/http',
          problem: 'listener/default/web/http: routes: unknown field',
        },
      ],
    )
  })
})
