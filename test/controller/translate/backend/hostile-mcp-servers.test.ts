import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../../../src/config/parse.ts'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import { xdsName } from '../../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../../src/config/xds/xds-state.ts'
import type { InputKind, Inputs } from '../../../../src/controller/kinds/inputs.ts'
import { namespacedKey } from '../../../../src/controller/kinds/object.ts'
import { gatewayBackendResources } from '../../../../src/controller/translate/backend/backend-resources.ts'
import { translatedBackend } from '../../../../src/controller/translate/backend/translated-backend.ts'
import { gatewayPolicyResources } from '../../../../src/controller/translate/policy/policy-resources.ts'
import { hostileChoices, type HostileChoices } from '../../support/hostile-choices.ts'
import { goldenGraph } from '../../support/golden-objects.ts'
import { hostname } from '../../support/hostile-values.ts'
import { objectMeta, type PlainObject, spec } from '../../support/plain-object.ts'

/*
 * MCP servers with values that nobody would expect: proxies take all that becomes of them, and no tenant's Service stops
 * a server of another one.
 */

const { shared } = parseConfig('{}', 'gateway.yaml', {})
const names = ['a', 'b', 'c', 'd']

const annotated = (name: string, { pick }: HostileChoices): PlainObject => ({
  kind: 'Service',
  metadata: Object.assign(objectMeta(name), {
    annotations: {
      'agentgateway.dev/mcp-target-name': pick(
        '',
        'sound',
        'one',
        'A_b',
        'a'.repeat(254),
        'ü',
        '__proto__',
        'a/b',
        '0',
      ),
      'agentgateway.dev/mcp-path': pick(
        '',
        '/',
        'x',
        '/a b',
        '/a#b',
        '/a?b=c',
        '//host/path',
        'http://host/',
        '/\u0000',
      ),
    },
  }),
  ...spec({
    type: pick('ClusterIP', 'ClusterIP', 'ExternalName'),
    clusterIP: pick('10.96.0.1', 'None'),
    ports: [
      {
        name: 'a',
        port: pick(80, 65_535),
        appProtocol: pick('agentgateway.dev/mcp', 'agentgateway.dev/mcp-sse'),
      },
      { port: 81, protocol: pick('TCP', 'UDP', 'SCTP'), appProtocol: 'kgateway.dev/mcp' },
    ],
  }),
})

/** In the namespace of the others, older than them, and without fault. */
const sound: PlainObject = {
  kind: 'Service',
  metadata: Object.assign(objectMeta('sound'), { creationTimestamp: '2020-01-01T00:00:00Z' }),
  ...spec({
    clusterIP: '10.96.0.2',
    ports: [{ name: 'mcp', port: 80, appProtocol: 'agentgateway.dev/mcp' }],
  }),
}

const target = (name: string, choices: HostileChoices): object => {
  const { pick } = choices
  const policies = pick(
    {},
    { tls: {} },
    { auth: { secretRef: { name: 'none' } } },
    { tls: { caCertificateRefs: [{ name: 'none' }] } },
  )
  const path = pick('/', 'x', '/a b', '/a#b', '/ü', '/a?b', '//a')
  return pick<object>(
    { name, static: { host: hostname(choices), port: pick(1, 65_535), path, policies } },
    {
      name,
      static: { backendRef: { name: pick('a', 'none', '..') }, port: pick(80, 81), path, protocol: 'SSE' },
    },
    { name, selector: { services: { matchLabels: { a: pick('b', '') } } } },
  )
}

const policy = (name: string, { pick }: HostileChoices): PlainObject => ({
  kind: 'ProxyPolicy',
  metadata: objectMeta(name),
  ...spec({
    targetRefs: [
      {
        group: 'agentgateway.dev',
        kind: 'ProxyBackend',
        name: 'tools',
        sectionName: pick('all', 'one', 'sound-mcp', 'two', 'constructor'),
      },
    ],
    backend: pick<object>({ tcp: { connectTimeout: '1s' } }, { auth: { secretRef: { name: 'none' } } }),
  }),
})

const objectsOf = (choices: HostileChoices): readonly PlainObject[] => [
  {
    kind: 'GatewayClass',
    metadata: { name: 'agentgateway' },
    ...spec({ controllerName: 'agentgateway.dev/agentgateway' }),
  },
  {
    kind: 'Gateway',
    metadata: objectMeta('gateway'),
    ...spec({ gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] }),
  },
  {
    kind: 'HTTPRoute',
    metadata: objectMeta('route'),
    ...spec({
      parentRefs: [{ name: 'gateway' }],
      rules: [{ backendRefs: [{ group: 'agentgateway.dev', kind: 'ProxyBackend', name: 'tools' }] }],
    }),
  },
  sound,
  ...names.map((name) => annotated(name, choices)),
  ...names.map((name) => policy(name, choices)),
  {
    kind: 'ProxyBackend',
    metadata: objectMeta('tools'),
    ...spec({
      mcp: {
        targets: [
          { name: 'all', selector: { services: {} } },
          { name: 'one', static: { host: 'one.example.com', port: 80 } },
          ...['two', 'three'].map((name) => target(name, choices)),
        ],
      },
    }),
  },
]

for (let seed = 1; seed <= 100; seed++)
  test(`proxies take what becomes of the hostile MCP servers of seed ${seed}`, () => {
    const graph = goldenGraph([])
    for (const object of objectsOf(hostileChoices(seed))) {
      const { kind, metadata } = object
      const key = namespacedKey(metadata.namespace, metadata.name)
      graph.set(kind as InputKind, key, object as unknown as Inputs[InputKind])
    }
    const backend = graph.read(translatedBackend, 'ns/tools')
    assert.deepEqual(backend?.failures, [])
    const { mcp } = backend.resource?.model as {
      readonly mcp: { readonly targets: readonly { readonly name: string; readonly mcp?: object }[] }
    }
    const listed = mcp.targets.map(({ name }) => name)
    for (const name of ['sound-mcp', 'one'])
      assert.equal(listed.filter((one) => one === name).length, 1, name)
    assert.equal(new Set(listed).size, listed.length)
    const one = mcp.targets.find(({ name }) => name === 'one')
    assert.deepEqual(one?.mcp, { host: 'one.example.com', port: 80, path: '/mcp' })
    const resources = [gatewayBackendResources, gatewayPolicyResources]
      .flatMap((query) => resourcesOf(graph.read(query, 'ns/gateway')))
      .map((resource) => ({ ...resource, name: xdsName(resource), model: JSON.stringify(resource.model) }))
    assert.equal(new Set(resources.map(({ name }) => name)).size, resources.length, 'names are unique')
    assert.deepEqual(new XdsState(shared).apply({ resources, removed: [] }), [])
  })
