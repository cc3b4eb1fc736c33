import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { xdsName } from '../../../src/config/xds/xds-resource.ts'
import { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { HTTPRoute } from '../../../src/controller/kinds/http-route.ts'
import type { Gateway } from '../../../src/controller/kinds/gateway-api.ts'
import { gatewayDeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan-query.ts'
import type { DeploymentSettings } from '../../../src/controller/translate/deployment/deployment-settings.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'

const settings = {
  controllerName: 'agentgateway.dev/agentgateway',
  gatewayClassName: 'agentgateway',
  clusterDomain: 'cluster.local',
}
const group = 'gateway.networking.k8s.io/v1'

const gateway = (name: string): Gateway => ({
  apiVersion: group,
  kind: 'Gateway',
  metadata: { namespace: 'ns', name, generation: 1 },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
})

const route = (name: string, of: string): HTTPRoute => ({
  apiVersion: group,
  kind: 'HTTPRoute',
  metadata: { namespace: 'ns', name, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { parentRefs: [{ name: of }], rules: [{ backendRefs: [] }] },
})

/** What no definition lets in, and an object may have all the same. */
const broken = <T>(object: T, spec: unknown): T => ({ ...object, spec })

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const graphWith = (...gateways: readonly Gateway[]): Graph => {
  const graph = new Graph(settings)
  graph.set('GatewayClass', 'agentgateway', {
    apiVersion: group,
    kind: 'GatewayClass',
    metadata: { name: 'agentgateway' },
    spec: { controllerName: settings.controllerName },
  })
  for (const one of gateways) graph.set('Gateway', `ns/${one.metadata.name}`, one)
  return graph
}

test('a route that cannot be translated stops no other one', () => {
  const graph = graphWith(gateway('a'))
  graph.set('HTTPRoute', 'ns/good', route('good', 'a'))
  const before = desiredState(graph, noPlan)
  assert.deepEqual(before.failures, [])
  graph.set('HTTPRoute', 'ns/bad', broken(route('bad', 'a'), { parentRefs: [{ name: 'a' }], rules: 5 }))
  graph.set('HTTPRoute', 'ns/new', route('new', 'a'))
  const { gateways, statuses, failures } = desiredState(graph, noPlan, before)
  const names = gateways.flatMap(({ resources }) => resourcesOf(resources).map(xdsName))
  assert.ok(names.includes('route/HTTPRoute/ns/good/00') && names.includes('route/HTTPRoute/ns/new/00'))
  const withStatus = statuses.filter(({ kind }) => kind === 'HTTPRoute').map(({ key }) => key)
  assert.deepEqual(withStatus.sort(), ['ns/good', 'ns/new'])
  assert.deepEqual(
    failures.map(({ kind, key }) => `${kind} ${key}`),
    ['HTTPRoute ns/bad'],
  )
})

test('a Gateway that cannot be translated keeps what it had, and is unknown if that is nothing', () => {
  const graph = graphWith(gateway('a'), gateway('b'))
  const before = desiredState(graph, noPlan)
  graph.set('Gateway', 'ns/a', broken(gateway('a'), { gatewayClassName: 'agentgateway', listeners: 5 }))
  const kept = desiredState(graph, noPlan, before)
  assert.equal(kept.gateways[0]?.resources, before.gateways[0]?.resources)
  assert.deepEqual(kept.unknownRoles, [])
  const restarted = desiredState(graph, noPlan)
  assert.deepEqual(
    restarted.gateways.map(({ key }) => key),
    ['ns/b'],
  )
  assert.deepEqual(restarted.unknownRoles, ['ns/a'])
  // The same failure is the same error, so that it is reported once.
  assert.equal(restarted.failures[0]?.error, kept.failures[0]?.error)
})

test('rules and listeners that cannot be translated are reported, each error once', () => {
  const graph = graphWith(
    broken(gateway('a'), {
      gatewayClassName: 'agentgateway',
      listeners: [
        { name: 'http', port: 80, protocol: 'HTTP' },
        { name: 'https', port: 443, protocol: 'HTTPS', allowedRoutes: { kinds: 5 } },
      ],
    }),
  )
  graph.set('HTTPRoute', 'ns/bad', broken(route('bad', 'a'), { parentRefs: [{ name: 'a' }], rules: [null] }))
  const first = desiredState(graph, noPlan)
  assert.deepEqual(
    first.failures.map(({ kind, key }) => `${kind} ${key}`),
    ['Gateway ns/a', 'HTTPRoute ns/bad'],
  )
  graph.set('HTTPRoute', 'ns/new', route('new', 'a'))
  const second = desiredState(graph, noPlan, first)
  assert.deepEqual(
    second.failures.map(({ error }) => error),
    first.failures.map(({ error }) => error),
  )
  for (const [index, { error }] of second.failures.entries())
    assert.equal(error, first.failures[index]?.error)
})

test('a parentRef that cannot be evaluated is reported, and the other ones count', () => {
  const graph = graphWith(gateway('a'))
  graph.set(
    'HTTPRoute',
    'ns/bad',
    broken(route('bad', 'a'), { parentRefs: [null, { name: 'a' }], rules: [{}] }),
  )
  const first = desiredState(graph, noPlan)
  assert.deepEqual(
    first.failures.map(({ kind, key }) => `${kind} ${key}`),
    ['HTTPRoute ns/bad'],
  )
  assert.ok(first.failures[0]?.error instanceof TypeError)
  assert.ok(resourcesOf(first.gateways[0]?.resources ?? []).some(({ key }) => key === 'HTTPRoute/ns/bad/00'))
  graph.set('HTTPRoute', 'ns/new', route('new', 'a'))
  const second = desiredState(graph, noPlan, first)
  assert.equal(second.failures[0]?.error, first.failures[0].error)
})

test('a Gateway without a class stops no other one', () => {
  const graph = graphWith(gateway('a'))
  graph.set('Gateway', 'ns/b', broken(gateway('b'), null))
  const { gateways, failures } = desiredState(graph, noPlan)
  assert.deepEqual(
    gateways.map(({ key }) => key),
    ['ns/a'],
  )
  assert.deepEqual(failures, [])
})

test('a Gateway whose objects would have the names of an older one has no proxies, and no resources for them', () => {
  const long = 'g'.repeat(253)
  const hash = createHash('sha256').update(long).digest('hex').slice(0, 12)
  const short = `${'g'.repeat(50)}-${hash}`
  for (const [longAt, shortAt, winner] of [
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z', long],
    ['2026-01-01T00:00:01Z', '2026-01-01T00:00:00Z', short],
    ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z', short],
  ] as const) {
    const at = (name: string, creationTimestamp: string): Gateway => {
      const one = gateway(name)
      return { ...one, metadata: { ...one.metadata, creationTimestamp } }
    }
    const graph = graphWith(at(long, longAt), at(short, shortAt))
    const plan = gatewayDeploymentPlan(deployment)
    const { gateways } = desiredState(graph, plan)
    const roles = Object.fromEntries(gateways.map(({ key, role }) => [key, role]))
    const loser = winner === long ? short : long
    assert.deepEqual(roles, { [`ns/${winner}`]: `ns/${short}`, [`ns/${loser}`]: undefined })
    const message = `The objects of Gateway ns/${winner} are named ${short} already`
    const plans = gateways.filter(({ key }) => key === `ns/${loser}`).map((one) => one.plan)
    assert.deepEqual(plans, [{ failure: { reason: 'InvalidParameters', message } }])
    graph.delete('Gateway', `ns/${winner}`)
    assert.deepEqual(
      desiredState(graph, plan).gateways.map(({ key, role }) => [key, role]),
      [[`ns/${loser}`, `ns/${short}`]],
    )
  }
})

const deployment: DeploymentSettings = {
  image: { registry: '', repository: 'gateway', tag: '1' },
  xds: { host: 'xds', port: 9978 },
  noListenersPort: 443,
  version: '1.2.3',
}
