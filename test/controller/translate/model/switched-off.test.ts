import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { resourcesOf } from '../../../../src/config/xds/resource-tree.ts'
import { Graph } from '../../../../src/controller/graph/graph.ts'
import { gatewayListeners } from '../../../../src/controller/translate/listener/gateway-listeners.ts'
import { gatewayModelResources } from '../../../../src/controller/translate/model/model-resources.ts'
import { readGoldenObjects } from '../../support/golden-objects.ts'

const objects = ['cluster', 'model/in'].flatMap((name) =>
  readGoldenObjects(
    readFileSync(new URL(`../../golden/${name}.yaml`, import.meta.url), 'utf8'),
    (text) => text,
  ),
)

test('without the setting, listeners refuse the kind of models as one that they do not know', () => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
  })
  for (const { kind, key, object } of objects) graph.set(kind, key, object)
  const [listener] = graph.read(gatewayListeners, 'infra/gateway')
  assert.deepEqual(
    listener?.supportedKinds.map(({ kind }) => kind),
    ['HTTPRoute'],
  )
  assert.deepEqual(
    listener.conditions.filter(({ status, type }) => type === 'ResolvedRefs' && status === 'False'),
    [{ type: 'ResolvedRefs', status: 'False', reason: 'InvalidRouteKinds', message: 'Invalid route kinds' }],
  )
  assert.deepEqual(resourcesOf(graph.read(gatewayModelResources, 'infra/gateway')), [])
})
