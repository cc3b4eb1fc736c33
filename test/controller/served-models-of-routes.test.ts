import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import { modelCluster, servedBy, serveModels, startNamedProvider } from './support/served-models.ts'

/*
 * ProxyModels of HTTPRoutes, and policies around models: what the control plane makes of them, sent over xDS to a gateway in its own process, which
 * calls providers that are servers of this machine.
 */

test('models at an HTTPRoute', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const { ask, list } = await serveModels(
    t,
    port,
    `${modelCluster(port, { red, blue })}
---
kind: HTTPRoute
metadata: { namespace: shop, name: teams }
spec:
  parentRefs: [{ name: web }]
  rules:
    - name: red
      matches: [{ path: { value: /red } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyModel, name: '*' }]
    - name: blue
      matches: [{ path: { value: /teams/blue/ } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyModel, name: '*' }]
    - name: broken
      matches: [{ path: { value: /broken } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyModel, name: fast }]
---
kind: ProxyModel
metadata: { namespace: shop, name: fast }
spec: { parentRefs: [{ kind: HTTPRoute, name: teams, sectionName: red }], ${servedBy('red')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: slow }
spec: { parentRefs: [{ kind: HTTPRoute, name: teams, sectionName: blue }, { name: web }], ${servedBy('blue')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: both }
spec:
  parentRefs: [{ kind: HTTPRoute, name: teams }]
  virtualModel: { failover: { targets: [{ modelRef: { name: fast }, priority: 0 }, { modelRef: { name: slow }, priority: 1 }] } }
`,
  )

  await t.test('are those of the rule, below its path', async () => {
    assert.deepEqual(
      [await ask('fast', { path: '/red' }), await ask('slow', { path: '/red' })],
      ['200 red fast', '404 model_not_found'],
    )
    assert.deepEqual(
      [await ask('slow', { path: '/teams/blue' }), await ask('fast', { path: '/teams/blue' })],
      ['200 blue slow', '404 model_not_found'],
    )
    assert.deepEqual(await list('/red'), ['fast', 'both'])
    assert.deepEqual(await list('/teams/blue'), ['slow', 'both'])
    assert.equal(red.calls[0]?.path, '/v1/chat/completions')
  })

  await t.test('may be behind a virtual model of another rule', async () => {
    red.isDown = true
    assert.equal(await ask('both', { path: '/red' }), '200 blue slow')
    red.isDown = false
    assert.equal(await ask('both', { path: '/teams/blue' }), '200 red fast')
  })

  await t.test('are beside those of the listener', async () => {
    assert.deepEqual([await ask('slow'), await ask('fast')], ['200 blue slow', '404 model_not_found'])
    const { status } = await fetch(`http://127.0.0.1:${port}/broken/v1/models`)
    assert.equal(status, 500)
  })
})

test('policies of Gateways and routes apply to models', async (t) => {
  await using red = await startNamedProvider('red')
  const port = await freePort()
  const { ask, list } = await serveModels(
    t,
    port,
    `${modelCluster(port, { red })}
---
kind: HTTPRoute
metadata: { namespace: shop, name: team }
spec:
  parentRefs: [{ name: web }]
  rules:
    - matches: [{ path: { value: /team } }]
      backendRefs: [{ group: agentgateway.dev, kind: ProxyModel, name: '*' }]
---
kind: ProxyModel
metadata: { namespace: shop, name: fast }
spec: { parentRefs: [{ name: web }, { kind: HTTPRoute, name: team }], ${servedBy('red')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: gold }
spec:
  { parentRefs: [{ name: web }], ${servedBy('red')}, policies: { authorization: { policy: { matchExpressions: ['apiKey.team == "gold"'] } } } }
---
kind: Secret
metadata: { namespace: shop, name: keys }
stringData:
  alice: '{"key": "a-key-of-alice", "metadata": {"team": "gold"}}'
  bob: '{"key": "a-key-of-bob", "metadata": {"team": "tin"}}'
---
kind: ProxyPolicy
metadata: { namespace: shop, name: keys }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: Gateway, name: web }]
  traffic: { apiKeyAuthentication: { secretRef: { name: keys } } }
---
kind: ProxyPolicy
metadata: { namespace: shop, name: guard }
spec:
  targetRefs: [{ group: gateway.networking.k8s.io, kind: HTTPRoute, name: team }]
  backend:
    ai:
      promptGuard:
        request: [{ regex: { matches: [Hello], action: Reject }, response: { message: No greetings. } }]
`,
  )
  const of = (name: string) => ({ headers: { authorization: `Bearer a-key-of-${name}` } })

  await t.test('keys of clients', async () => {
    assert.match(await ask('fast'), /^401 /)
    assert.equal(await ask('fast', of('bob')), '200 red fast')
  })

  await t.test('and rules of models know the client', async () => {
    assert.deepEqual(
      [await ask('gold', of('alice')), await ask('gold', of('bob'))],
      ['200 red gold', '403 model_authorization_denied'],
    )
    assert.deepEqual(await list('', of('bob').headers), ['fast'])
  })

  await t.test('guards of a route', async () => {
    red.calls.length = 0
    assert.equal(await ask('fast', { path: '/team', ...of('bob') }), '403 No greetings.')
    assert.deepEqual(red.calls, [])
  })
})
