import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { resourcesOf } from '../../src/config/xds/resource-tree.ts'
import { type XdsResource, xdsResource } from '../../src/config/xds/xds-resource.ts'
import { gatewayRouteResources } from '../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayModelResources } from '../../src/controller/translate/model/model-resources.ts'
import { gatewayPolicyResources } from '../../src/controller/translate/policy/policy-resources.ts'
import { anyPorts, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { completion, jsonOf, startProvider } from '../support/llm/recording-provider.ts'
import type { UpstreamServer } from '../support/upstream-servers.ts'
import { startXdsServer } from '../support/xds/xds-server.ts'
import { goldenGraph, readGoldenObjects } from './support/golden-objects.ts'

/*
 * ProxyModels of a cluster: what the control plane makes of them, sent over xDS to a gateway in its own process, which
 * calls providers that are servers of this machine.
 */

/** A provider that replies with its name and the model that it was asked for; `down` makes it fail. */
const startNamedProvider = async (name: string) => {
  const state = { isDown: false }
  const provider = await startProvider((call, response) => {
    const { model } = jsonOf(call)
    response.writeHead(state.isDown ? 503 : 200, { 'content-type': 'application/json' })
    const message = { role: 'assistant', content: `${name} ${String(model)}` }
    response.end(JSON.stringify({ ...completion, choices: [{ index: 0, message, finish_reason: 'stop' }] }))
  })
  return Object.assign(state, provider)
}

const cluster = (port: number, providers: Readonly<Record<string, UpstreamServer>>): string => `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec:
  gatewayClassName: agentgateway
  listeners:
    - name: any
      port: ${port}
      protocol: HTTP
      allowedRoutes:
        kinds: [{ kind: HTTPRoute }, { group: agentgateway.dev, kind: ProxyModel }]
${Object.entries(providers)
  .map(
    ([name, provider]) => `---
kind: Service
metadata: { namespace: shop, name: ${name} }
spec: { clusterIP: 10.96.0.1, ports: [{ name: http, port: 8000, targetPort: 8000 }] }
---
kind: EndpointSlice
metadata: { namespace: shop, name: ${name}, labels: { kubernetes.io/service-name: ${name} } }
addressType: IPv4
ports: [{ name: http, port: ${provider.port} }]
endpoints: [{ addresses: [192.0.2.10], conditions: { ready: true } }]
`,
  )
  .join('')}`

/** A model that a Service serves. */
const servedBy = (service: string): string =>
  `provider: Custom, custom: { formats: [{ type: Completions }], backendRef: { name: ${service}, port: 8000 } }`

const resourcesAt = (objects: string): readonly XdsResource[] => {
  const graph = goldenGraph(readGoldenObjects(objects, (text) => text))
  return [gatewayListenerResources, gatewayRouteResources, gatewayPolicyResources, gatewayModelResources]
    .flatMap((query) => resourcesOf(graph.read(query, 'shop/web')))
    .map((resource) =>
      // The address of this machine is none that the control plane takes.
      resource.kind === 'workload'
        ? xdsResource('workload', resource.key, { ...resource.model, workloadIps: ['127.0.0.1'] })
        : resource,
    )
}

/** A gateway with these objects. */
const serve = async (t: TestContext, port: number, objects: string) => {
  const server = await startXdsServer()
  server.sets.set('shop/web', resourcesAt(objects))
  const env = { XDS_ADDRESS: `http://127.0.0.1:${server.port}`, NAMESPACE: 'shop', GATEWAY: 'web' }
  const daemon = await startDaemon(anyPorts, { env })
  t.after(async () => {
    await daemon[Symbol.asyncDispose]()
    await server[Symbol.asyncDispose]()
  })
  await daemon.printed(/(?:configuration in force[^]*){2}/)
  const url = `http://127.0.0.1:${port}`
  return {
    /** Status and text of the message, or the code of the error. */
    ask: async (model: string, { path = '', headers = {} } = {}): Promise<string> => {
      const reply = await fetch(`${url}${path}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] }),
      })
      const body = (await reply.json()) as {
        readonly choices?: readonly { readonly message: { readonly content: string } }[]
        readonly error?: { readonly code?: string; readonly message: string }
      }
      return `${reply.status} ${body.choices?.[0]?.message.content ?? body.error?.code ?? body.error?.message}`
    },
    list: async (path = ''): Promise<readonly string[]> => {
      const reply = await fetch(`${url}${path}/v1/models`)
      const { data } = (await reply.json()) as { readonly data: readonly { readonly id: string }[] }
      return data.map(({ id }) => id)
    },
  }
}

test('models at a Gateway', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const { ask, list } = await serve(
    t,
    port,
    `${cluster(port, { red, blue })}
---
kind: Secret
metadata: { namespace: shop, name: key }
stringData: { Authorization: Bearer sk-red }
---
kind: ProxyModel
metadata: { namespace: shop, name: fast }
spec:
  { parentRefs: [{ name: web }], ${servedBy('red')}, policies: { auth: { secretRef: { name: key } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: others }
spec: { parentRefs: [{ name: web }], match: { model: 'gpt-*' }, ${servedBy('blue')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: hidden }
spec: { parentRefs: [{ name: web }], visibility: Internal, ${servedBy('blue')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: keyless }
spec:
  { parentRefs: [{ name: web }], match: { model: gpt-keyless }, ${servedBy('blue')}, policies: { auth: { secretRef: { name: none } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: refusing }
spec:
  { parentRefs: [{ name: web }], match: { model: gpt-refusing }, ${servedBy('blue')}, policies: { authorization: { policy: { matchExpressions: ['request.headers['] } } } }
---
kind: ProxyModel
metadata: { namespace: shop, name: unplugged }
spec: { parentRefs: [{ name: web }], match: { model: gpt-unplugged }, ${servedBy('none')} }
`,
  )

  await t.test('are chosen by their names and patterns, with their credentials', async () => {
    assert.equal(await ask('fast'), '200 red fast')
    assert.deepEqual(
      red.calls.map(({ path, headers }) => [path, headers.authorization]),
      [['/v1/chat/completions', 'Bearer sk-red']],
    )
    assert.equal(await ask('gpt-5'), '200 blue gpt-5')
    assert.equal(await ask('claude'), '404 model_not_found')
  })

  await t.test('are listed, unless they are internal', async () => {
    assert.deepEqual((await list()).toSorted(), [
      'fast',
      'gpt-*',
      'gpt-keyless',
      'gpt-refusing',
      'gpt-unplugged',
    ])
    assert.equal(await ask('hidden'), '404 model_not_found')
  })

  await t.test('fail where a Secret, a rule or a Service is missing, and no other serves them', async () => {
    blue.calls.length = 0
    for (const model of ['gpt-keyless', 'gpt-refusing', 'gpt-unplugged'])
      assert.match(await ask(model), /^50[0-9] /, model)
    assert.deepEqual(blue.calls, [])
  })
})

test('virtual models at a Gateway', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const virtual = (name: string, routing: string): string => `---
kind: ProxyModel
metadata: { namespace: shop, name: ${name} }
spec: { parentRefs: [{ name: web }], virtualModel: { ${routing} } }
`
  const { ask, list } = await serve(
    t,
    port,
    `${cluster(port, { red, blue })}
---
kind: ProxyModel
metadata: { namespace: shop, name: red }
spec: { parentRefs: [{ name: web }], visibility: Internal, ${servedBy('red')} }
---
kind: ProxyModel
metadata: { namespace: shop, name: blue }
spec: { parentRefs: [{ name: web }], match: { model: 'blue-*' }, ${servedBy('blue')} }
${virtual(
  'shared',
  'weighted: { targets: [{ modelRef: { name: red }, weight: 3 }, { modelRef: { name: blue }, model: blue-1 }] }',
)}
${virtual(
  'safe',
  'failover: { targets: [{ modelRef: { name: blue }, model: blue-2, priority: 7 }, { modelRef: { name: red }, priority: 3 }] }',
)}
${virtual(
  'smart',
  `conditional: { targets: [{ modelRef: { name: red }, when: 'request.headers["x-team"] == "red"' }, { modelRef: { name: blue }, model: blue-3 }] }`,
)}
${virtual('half', 'weighted: { targets: [{ modelRef: { name: red } }, { modelRef: { name: none } }] }')}
`,
  )

  await t.test('share the load by weight', async () => {
    const replies: string[] = []
    for (let i = 0; i < 8; i++) replies.push(await ask('shared'))
    assert.deepEqual(
      Map.groupBy(replies, (reply) => reply)
        .entries()
        .map(([reply, { length }]) => [reply, length])
        .toArray()
        .toSorted(),
      [
        ['200 blue blue-1', 2],
        ['200 red red', 6],
      ],
    )
  })

  await t.test('go on to the next priority where a provider fails', async () => {
    assert.equal(await ask('safe'), '200 red red')
    red.isDown = true
    assert.equal(await ask('safe'), '200 blue blue-2')
    red.isDown = false
  })

  await t.test('are chosen by conditions', async () => {
    assert.equal(await ask('smart', { headers: { 'x-team': 'red' } }), '200 red red')
    assert.equal(await ask('smart'), '200 blue blue-3')
  })

  await t.test('keep the share of a target that leads nowhere', async () => {
    const replies = [await ask('half'), await ask('half')]
    assert.deepEqual(replies.toSorted(), ['200 red red', '404 virtual_model_target_not_found'])
  })

  await t.test('are listed; what only they reach is not', async () => {
    assert.deepEqual((await list()).toSorted(), ['blue-*', 'half', 'safe', 'shared', 'smart'])
    assert.equal(await ask('red'), '404 model_not_found')
  })
})

test('models at an HTTPRoute', async (t) => {
  await using red = await startNamedProvider('red')
  await using blue = await startNamedProvider('blue')
  const port = await freePort()
  const { ask, list } = await serve(
    t,
    port,
    `${cluster(port, { red, blue })}
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
