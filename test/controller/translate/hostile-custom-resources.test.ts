import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseConfig } from '../../../src/config/parse.ts'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { type XdsResource, xdsName } from '../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import type { Graph } from '../../../src/controller/graph/graph.ts'
import type { InputKind } from '../../../src/controller/kinds/inputs.ts'
import { namespacedKey } from '../../../src/controller/kinds/object.ts'
import { proxySettings } from '../../../src/controller/settings/proxy-settings.ts'
import { readSettings } from '../../../src/controller/settings/read-settings.ts'
import { gatewayDeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan-query.ts'
import { type DesiredState, desiredState } from '../../../src/controller/translate/desired-state.ts'
import { cpuTimeMs } from '../../support/cpu-time.ts'
import { documentsOf } from '../support/documents.ts'
import { goldenGraph, readGoldenObjects } from '../support/golden-objects.ts'
import { type HostileChoices, hostileChoices } from '../support/hostile-choices.ts'
import { mutated } from '../support/hostile-mutations.ts'

/*
 * A tenant has objects of our kinds that no schema lets in, as an API server with other definitions would: the documents
 * of the schemas, each with something wrong. What others have stays as it is, at a Gateway of their own and at one that
 * all share; proxies take what becomes of it; and nothing takes long.
 */

const deploymentPlan = gatewayDeploymentPlan(
  proxySettings(readSettings({ POD_NAME: 'replica', POD_NAMESPACE: 'system' }, '1.2.3')),
)
const { shared } = parseConfig('{}', 'gateway.yaml', {})

const victims = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Namespace
metadata: { name: shop }
---
kind: Namespace
metadata: { name: evil }
---
kind: Gateway
metadata: { namespace: shop, name: web }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 80, protocol: HTTP }] }
---
kind: Gateway
metadata: { namespace: infra, name: shared }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: http, port: 80, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }]
---
kind: Service
metadata: { namespace: shop, name: web }
spec: { clusterIP: 10.96.0.1, ports: [{ port: 80 }] }
---
kind: Secret
metadata: { namespace: shop, name: key }
stringData: { Authorization: the-key-of-the-shop }
---
kind: ProxyBackend
metadata: { namespace: shop, name: backend }
spec: { static: { host: shop.example.com, port: 443 }, policies: { tls: {} } }
---
kind: ProxyPolicy
metadata: { namespace: shop, name: policy }
spec:
  targetRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: backend }]
  backend: { auth: { secretRef: { name: key } } }
---
kind: HTTPRoute
metadata: { namespace: shop, name: route }
spec:
  parentRefs: [{ name: web }, { name: shared, namespace: infra }]
  hostnames: [shop.example.com]
  rules:
    - backendRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: backend }, { name: web, port: 80 }]
---
kind: Gateway
metadata: { namespace: evil, name: web }
spec:
  gatewayClassName: agentgateway
  infrastructure: { parametersRef: { group: agentgateway.dev, kind: ProxyParameters, name: parameters } }
  listeners: [{ name: http, port: 80, protocol: HTTP }]
---
kind: Service
metadata: { namespace: evil, name: web }
spec: { clusterIP: 10.96.0.2, ports: [{ port: 80 }] }
`

const GROUP = 'agentgateway.dev'
const kindsOfOurs = ['ProxyPolicy', 'ProxyBackend', 'ProxyModel', 'ProxyParameters'] as const
const documents = Object.fromEntries(kindsOfOurs.map((kind) => [kind, documentsOf(kind)]))

const put = (graph: Graph, kind: string, name: string, spec: unknown): void => {
  const metadata = { namespace: 'evil', name, uid: `evil/${name}`, generation: 1 }
  const object = { apiVersion: `${GROUP}/v1alpha1`, kind, metadata, spec }
  graph.set(kind as InputKind, namespacedKey('evil', name), object)
}

/** Targets that the policies of the tenant may have. */
const targets = (choices: HostileChoices, backends: readonly string[]) =>
  choices.pick(
    { kind: 'Gateway', name: 'web', group: 'gateway.networking.k8s.io' },
    { kind: 'HTTPRoute', name: 'route', group: 'gateway.networking.k8s.io' },
    { kind: 'Service', name: 'web', group: '' },
    { kind: 'ProxyBackend', name: choices.pick(...backends), group: GROUP },
    { kind: 'Gateway', name: '../shop/web', group: 'gateway.networking.k8s.io' },
    { kind: '__proto__', name: 'constructor', group: '' },
  )

const addHostile = (graph: Graph, choices: HostileChoices): readonly string[] => {
  const some = (kind: (typeof kindsOfOurs)[number], count: number): readonly unknown[] =>
    Array.from({ length: count }, () => {
      const { object } = choices.pick(...(documents[kind] ?? []))
      return mutated(object.spec, choices)
    })
  const backends = some('ProxyBackend', 8).map((spec, index) => {
    put(graph, 'ProxyBackend', `b${index}`, spec)
    return `b${index}`
  })
  // Two that lead to each other, by policies inside and outside of them.
  const extAuth = (name: string) => ({ backendRef: { group: GROUP, kind: 'ProxyBackend', name }, grpc: {} })
  for (const [name, other] of [
    ['circle', 'round'],
    ['round', 'circle'],
  ] as const) {
    put(graph, 'ProxyBackend', name, {
      static: { host: `${name}.example.com`, port: 80 },
      policies: { extAuth: extAuth(other) },
    })
    put(graph, 'ProxyPolicy', name, {
      targetRefs: [{ group: GROUP, kind: 'ProxyBackend', name }],
      backend: {
        extAuth: extAuth(name),
        tunnel: { backendRef: { group: GROUP, kind: 'ProxyBackend', name: other } },
      },
    })
  }
  const policies = some('ProxyPolicy', 24).flatMap((spec, index) => {
    const name = `p${index}`
    const isTargeted = typeof spec === 'object' && spec !== null && choices.pick(true, true, true, false)
    const target = targets(choices, backends)
    const targeted = { ...(spec as object), targetRefs: [target], targetSelectors: undefined }
    put(graph, 'ProxyPolicy', name, isTargeted ? targeted : spec)
    // Those of backends that nothing reaches have no status.
    return isTargeted && ['Gateway', 'HTTPRoute'].includes(target.kind) ? [`ProxyPolicy evil/${name}`] : []
  })
  // Attached to a Gateway of the tenant, or to that of all.
  const models = some('ProxyModel', 6).flatMap((spec, index) => {
    const parentRefs = [choices.pick<object>({ name: 'web' }, { name: 'shared', namespace: 'infra' })]
    const isModel = typeof spec === 'object' && spec !== null
    put(graph, 'ProxyModel', `m${index}`, isModel ? { ...spec, parentRefs } : spec)
    // What has no parents has no status.
    return isModel ? [`m${index}`] : []
  })
  put(graph, 'ProxyParameters', 'parameters', some('ProxyParameters', 1)[0])
  put(graph, 'HTTPRoute', 'route', {
    parentRefs: [{ name: 'web' }, { name: 'shared', namespace: 'infra' }],
    hostnames: ['evil.example.com'],
    rules: [...backends, 'circle', 'round'].map((name, index) => ({
      matches: [{ path: { type: 'PathPrefix', value: `/${index}` } }],
      backendRefs: [{ group: GROUP, kind: 'ProxyBackend', name }],
    })),
  })
  return [
    ...policies,
    ...backends.map((name) => `ProxyBackend evil/${name}`),
    ...models.map((name) => `ProxyModel evil/${name}`),
  ]
}

const resourcesAt = ({ gateways }: DesiredState, key: string): readonly XdsResource[] => {
  const gateway = gateways.find((one) => one.key === key)
  assert.ok(gateway, `${key} is computed`)
  return resourcesOf(gateway.resources)
}

const isOfShop = ({ model }: XdsResource): boolean => /\bshop\b/.test(JSON.stringify(model))

const statusesOfOthers = ({ statuses }: DesiredState): readonly unknown[] =>
  statuses.filter(({ key }) => !key.startsWith('evil/') && key !== 'infra/shared' && key !== 'agentgateway')

const golden = readGoldenObjects(victims, (text) => text)

// The last one has shown a Gateway that a policy of one of its tenants stopped.
for (const seed of [...Array(80).keys(), 340])
  test(`what is hostile in the objects of one tenant stays with that tenant, seed ${seed}`, () => {
    const graph = goldenGraph(golden)
    const sound = desiredState(graph, deploymentPlan)
    const hostile = addHostile(graph, hostileChoices(seed))
    const began = cpuTimeMs()
    const state = desiredState(graph, deploymentPlan, sound)
    const tookMs = cpuTimeMs() - began
    assert.ok(tookMs < 20_000, `took ${tookMs} ms`)
    assert.equal(({} as { polluted?: unknown }).polluted, undefined)

    // The Gateways of others are computed, and have what they had.
    const failed = state.failures.map(({ kind, key, error }) => [`${kind} ${key}`, error] as const)
    assert.deepEqual(
      failed.filter(([name]) => !name.includes(' evil/')),
      [],
    )
    assert.deepEqual(resourcesAt(state, 'shop/web'), resourcesAt(sound, 'shop/web'))
    const ofShop = (of: DesiredState) => resourcesAt(of, 'infra/shared').filter(isOfShop)
    for (const resource of ofShop(sound))
      assert.ok(
        ofShop(state).some(({ version, key }) => version === resource.version && key === resource.key),
        resource.key,
      )
    assert.deepEqual(statusesOfOthers(state), statusesOfOthers(sound))
    const evil = resourcesAt(state, 'infra/shared').filter((one) => !ofShop(sound).includes(one))
    assert.doesNotMatch(JSON.stringify(evil), /the-key-of-the-shop/)

    // Proxies take it all.
    for (const { key } of state.gateways) {
      const resources = resourcesAt(state, key).map((one) => ({
        ...one,
        name: xdsName(one),
        model: JSON.stringify(one.model),
      }))
      assert.equal(new Set(resources.map(({ name }) => name)).size, resources.length, 'names are unique')
      assert.deepEqual(new XdsState(shared).apply({ resources, removed: [] }), [])
    }

    // Each has a status, or is named as one that cannot be translated.
    const told = new Set([...state.statuses, ...state.failures].map(({ kind, key }) => `${kind} ${key}`))
    assert.deepEqual(
      hostile.filter((name) => !told.has(name)),
      [],
    )
  })
