import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mergePolicies } from '../../../../src/config/merge-policies.ts'
import { parseConfig } from '../../../../src/config/parse.ts'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import { xdsName } from '../../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../../src/config/xds/xds-state.ts'
import type { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayBackendResources } from '../../../../src/controller/translate/backend/backend-resources.ts'
import { gatewayRouteResources } from '../../../../src/controller/translate/gateway-route-resources.ts'
import { gatewayListenerResources } from '../../../../src/controller/translate/listener/gateway-listener-resources.ts'
import { gatewayPolicyResources } from '../../../../src/controller/translate/policy/policy-resources.ts'
import { authenticationConflicts } from '../../../../src/controller/translate/route/authentication-conflicts.ts'
import { httpRouteStatus } from '../../../../src/controller/translate/route/route-status.ts'
import { goldenGraph, readGoldenObjects } from '../../support/golden-objects.ts'

const golden = (name: string) =>
  readFileSync(new URL(`../../golden/${name}`, import.meta.url), 'utf8').split(/^---$/m)

const cluster = golden('cluster.yaml').join('---')
const storedKeys = golden('policy-jwt-fetched/in.yaml').find((text) => text.includes('kind: ConfigMap')) ?? ''

const authentication = (audience: string): string =>
  `{ mcp: { authentication: { issuer: 'https://issuer.example.com', audiences: [${audience}], jwks: { url: 'https://issuer.example.com/keys' } } } }`

const backend = (name: string, policies = '{}'): string => `
kind: ProxyBackend
metadata: { name: ${name}, namespace: infra }
spec: { mcp: { targets: [{ name: a, static: { host: ${name}.example.com, port: 80 } }] }, policies: ${policies} }`

const policy = (name: string, target: string, fields: string, createdAt: string): string => `
kind: ProxyPolicy
metadata: { name: ${name}, namespace: infra, creationTimestamp: '${createdAt}' }
spec: { targetRefs: [{ group: agentgateway.dev, kind: ProxyBackend, name: ${target} }], backend: ${fields} }`

const names = ['open', 'own', 'own-other', 'attached', 'old-wins', 'own-wins', 'broken', 'rules'] as const

const objects = [
  cluster,
  storedKeys,
  `
kind: Gateway
metadata: { name: gateway, namespace: infra }
spec: { gatewayClassName: agentgateway, listeners: [{ name: http, port: 80, protocol: HTTP }] }`,
  `
kind: Service
metadata: { name: web, namespace: infra }
spec: { type: ClusterIP, clusterIP: 10.96.0.10, ports: [{ port: 80 }] }`,
  backend('open'),
  backend('own', authentication('one')),
  backend('own-other', authentication('two')),
  backend('attached'),
  policy('of-attached', 'attached', authentication('one'), '2026-01-01T00:00:00Z'),
  backend('old-wins'),
  policy('a-young', 'old-wins', authentication('two'), '2026-01-02T00:00:00Z'),
  policy('b-old', 'old-wins', authentication('one'), '2026-01-01T00:00:00Z'),
  backend('own-wins', authentication('one')),
  policy('of-own', 'own-wins', authentication('two'), '2020-01-01T00:00:00Z'),
  backend('broken'),
  policy('of-broken', 'broken', authentication('one').replace('/keys', '/absent'), '2026-01-01T00:00:00Z'),
  backend('rules', `{ mcp: { authorization: { policy: { matchExpressions: ['true'] } } } }`),
]

/** Every pair of backends is a rule, and the rules of some more. */
const refs = [...names, 'web', 'absent']
const rules: readonly (readonly string[])[] = [
  ...refs.map((one) => [one]),
  ...refs.flatMap((one, i) => refs.slice(i + 1).map((other) => [one, other])),
  ['own', 'attached', 'old-wins', 'own-wins', 'absent'],
  ['own', 'attached', 'old-wins', 'own-wins', 'own-other'],
]

const backendRef = (name: string): string => {
  if (name === 'web') return '{ name: web, port: 80 }'
  return `{ group: agentgateway.dev, kind: ProxyBackend, name: ${name} }`
}

const routes = Array.from(
  { length: Math.ceil(rules.length / 16) },
  (_, i) => `
kind: HTTPRoute
metadata: { name: route-${i}, namespace: infra }
spec:
  parentRefs: [{ name: gateway }]
  rules:
${rules
  .slice(i * 16, i * 16 + 16)
  .map(
    (rule, j) =>
      `    - { name: r${i * 16 + j}, matches: [{ path: { value: /r${i * 16 + j} } }], backendRefs: [${rule.map(backendRef).join()}] }`,
  )
  .join('\n')}`,
)

const graphOf = (documents: readonly string[]): Graph =>
  goldenGraph(readGoldenObjects(documents.join('\n---\n'), (text) => text))

/** The names of the rules whose requests proxies refuse, whatever they are. */
const refusedByProxies = (graph: Graph): readonly string[] => {
  const { resources, shared } = parseConfig('{}', 'gateway.yaml', {})
  const state = new XdsState(shared)
  const sent = [
    gatewayListenerResources,
    gatewayRouteResources,
    gatewayBackendResources,
    gatewayPolicyResources,
  ]
    .flatMap((query) => resourcesOf(graph.read(query, 'infra/gateway')))
    .map((one) => ({ ...one, name: xdsName(one), model: JSON.stringify(one.model) }))
  assert.deepEqual(state.apply({ resources: sent, removed: [] }), [])
  return mergePolicies({ ...resources, ...state.assemble() })
    .binds.flatMap(({ listeners }) => listeners.flatMap((listener) => listener.routes))
    .filter(({ policies }) => policies.authorization !== undefined)
    .map(({ ruleName = '' }) => ruleName)
    .sort()
}

test('exactly the rules are in conflict whose requests proxies refuse', () => {
  const graph = graphOf([...objects, ...routes])
  const refused = refusedByProxies(graph)
  const inConflict = routes
    .flatMap((_, i) =>
      graph
        .read(authenticationConflicts, `HTTPRoute/infra/route-${i}`)
        .map(({ rule }) => `r${i * 16 + rule}`),
    )
    .sort()
  assert.deepEqual(inConflict, refused)
  const shown = (name: string) => rules[Number(name.slice(1))]?.join()
  assert.ok(refused.map(shown).includes('own,own-other'))
  assert.ok(!refused.map(shown).includes('own,attached'))
  assert.ok(refused.length > 10 && refused.length < rules.length - 10)
})

test('every parent of the route is told, and names which backends differ', () => {
  const route = `
kind: HTTPRoute
metadata: { name: route, namespace: infra }
spec:
  parentRefs: [{ name: gateway, sectionName: http }, { name: gateway, port: 80 }]
  rules: [{ backendRefs: [${['web', 'open', 'own', 'own-other', 'attached', 'attached'].map(backendRef).join()}] }]`
  const status = graphOf([...objects, route]).read(httpRouteStatus, 'infra/route')
  const told = status?.parents.map(({ conditions }) => {
    const { status: value, reason, message } = conditions.find(({ type }) => type === 'ResolvedRefs') ?? {}
    return { status: value, reason, message }
  })
  const condition = {
    status: 'False',
    reason: 'MCPAuthenticationConflict',
    message:
      'Rule 0: its requests get 403, since its backends must have the same MCP authentication; one: ProxyBackend infra/own and ProxyBackend infra/attached, another: ProxyBackend infra/own-other, none: Service infra/web and ProxyBackend infra/open',
  }
  assert.deepEqual(told, [condition, condition])
})
