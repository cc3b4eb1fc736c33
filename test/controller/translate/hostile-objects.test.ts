import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { parseConfig } from '../../../src/config/parse.ts'
import { xdsName } from '../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'
import { hostileChoices } from '../support/hostile-choices.ts'
import { hostileObjects } from '../support/hostile-objects.ts'
import { goldenGraph } from '../support/golden-objects.ts'

/*
 * Objects of values at the edges of what their definitions let in, and beyond. Whatever they are, proxies must take all
 * that becomes of them: the statuses have no word about what proxies refuse.
 */

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)
const { shared } = parseConfig('{}', 'gateway.yaml', {})

for (let seed = 1; seed <= 150; seed++)
  test(`proxies take what becomes of the hostile objects of seed ${seed}`, () => {
    const graph = goldenGraph([])
    for (const object of hostileObjects(hostileChoices(seed))) {
      const { kind, metadata } = object
      const key = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
      graph.set(kind as InputKind, key, object as unknown as Inputs[InputKind])
    }
    const { gateways, failures } = desiredState(graph, noPlan)
    assert.deepEqual(failures, [])
    const [gateway] = gateways
    assert.ok(gateway)
    const resources = resourcesOf(gateway.resources).map((resource) => ({
      ...resource,
      name: xdsName(resource),
      model: JSON.stringify(resource.model),
    }))
    assert.equal(new Set(resources.map(({ name }) => name)).size, resources.length, 'names are unique')
    assert.deepEqual(new XdsState(shared).apply({ resources, removed: [] }), [])
  })
