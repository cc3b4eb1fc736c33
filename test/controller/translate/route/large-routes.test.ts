import assert from 'node:assert/strict'
import { test } from 'node:test'
import { desiredState } from '../../../../src/controller/translate/desired-state.ts'
import { defineQuery } from '../../../../src/controller/graph/query.ts'
import type { HTTPRoute } from '../../../../src/controller/kinds/http-route.ts'
import type { DeploymentPlan } from '../../../../src/controller/translate/deployment/deployment-plan.ts'
import { goldenGraph, readGoldenObjects } from '../../support/golden-objects.ts'

const common = `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { namespace: infra, name: web }
spec:
  gatewayClassName: agentgateway
  listeners: [{ name: any, port: 80, protocol: HTTP, allowedRoutes: { namespaces: { from: All } } }]
`

const values = (prefix: string, length: number, count: number) =>
  Array.from({ length: count }, (_, index) => ({ name: `${prefix}-${index}`, value: 'v'.repeat(length) }))

/** A route as large as the API server takes it: 1.4 MB, in 128 matches for 16 hosts. */
const largeRoute = (name: string): HTTPRoute => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: {
    namespace: 'tenant',
    name,
    uid: name,
    generation: 1,
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: {
    parentRefs: [{ namespace: 'infra', name: 'web' }],
    hostnames: Array.from({ length: 16 }, (_, index) => `h${index}.test`),
    rules: Array.from({ length: 16 }, (_, rule) => ({
      matches: Array.from({ length: 8 }, (_, match) => ({
        path: { type: 'PathPrefix', value: `/${rule}/${match}/${'a'.repeat(900)}` },
        headers: values('x', 500, 16),
        queryParams: values('q', 100, 16),
      })),
    })),
  },
})

const smallRoute = (value: string): HTTPRoute => ({
  ...largeRoute('small'),
  spec: {
    parentRefs: [{ namespace: 'infra', name: 'web' }],
    rules: [{ matches: [{ path: { type: 'PathPrefix', value } }] }],
  },
})

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

test('a change costs little beside the largest routes of others', () => {
  const graph = goldenGraph(readGoldenObjects(common, (text) => text))
  for (let index = 0; index < 20; index++) graph.set('HTTPRoute', `tenant/r${index}`, largeRoute(`r${index}`))
  graph.set('HTTPRoute', 'tenant/small', smallRoute('/before'))
  desiredState(graph, noPlan)
  const before = process.cpuUsage()
  graph.set('HTTPRoute', 'tenant/small', smallRoute('/after'))
  const { statuses } = desiredState(graph, noPlan)
  const { user, system } = process.cpuUsage(before)
  // It is some 20 ms; comparing the texts of all matches takes a second or more.
  assert.ok(user + system < 400_000, `${user + system} µs`)
  assert.equal(statuses.filter(({ kind }) => kind === 'HTTPRoute').length, 21)
})
