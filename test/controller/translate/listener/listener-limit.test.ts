import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatewayListenerResources } from '../../../../src/controller/translate/listener/gateway-listener-resources.ts'
import { listenerSetStatus } from '../../../../src/controller/translate/listener-set/listener-set-status.ts'
import { goldenGraph, readGoldenObjects } from '../../support/golden-objects.ts'

const listenerSet = (index: number): string => `
kind: ListenerSet
metadata: { name: set-${String(index).padStart(2, '0')}, namespace: infra }
spec:
  parentRef: { name: gateway }
  listeners: ${JSON.stringify(
    Array.from({ length: 64 }, (_, entry) => ({
      name: `entry-${String(entry)}`,
      port: 2000 + index * 64 + entry,
      protocol: 'HTTP',
    })),
  )}
`

test('listeners beyond the limit of a Gateway are those of the ListenerSets of lowest precedence', () => {
  const sets = Array.from({ length: 17 }, (_, index) => listenerSet(index))
  const graph = goldenGraph(
    readGoldenObjects(
      [
        `
kind: GatewayClass
metadata: { name: agentgateway }
spec: { controllerName: agentgateway.dev/agentgateway }
---
kind: Gateway
metadata: { name: gateway, namespace: infra }
spec:
  gatewayClassName: agentgateway
  allowedListeners: { namespaces: { from: Same } }
  listeners: [{ name: http, port: 80, protocol: HTTP }]
`,
        ...sets,
      ].join('---'),
      (text) => text,
    ),
  )
  const reasons = (name: string) =>
    graph.read(listenerSetStatus, `infra/${name}`)?.conditions.map(({ reason }) => reason)
  assert.deepEqual(reasons('set-14'), ['Accepted', 'Programmed'])
  assert.deepEqual(reasons('set-15'), ['ListenersNotValid', 'Programmed'])
  assert.deepEqual(reasons('set-16'), ['ListenersNotValid', 'ListenersNotValid'])
  assert.deepEqual(
    graph
      .read(listenerSetStatus, 'infra/set-15')
      ?.listeners.flatMap(({ name, conditions }) =>
        conditions.some(({ reason }) => reason === 'TooManyListeners') ? [name] : [],
      ),
    ['entry-63'],
  )
  const listeners = graph
    .read(gatewayListenerResources, 'infra/gateway')
    .filter(({ kind }) => kind === 'listener')
  assert.equal(listeners.length, 1024)
})
