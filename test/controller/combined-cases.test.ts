import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { internalUpstreams } from '../../src/admin/internal-upstream.ts'
import { compileConfiguration } from '../../src/config/compile.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { resourcesOf } from '../../src/config/xds/resource-tree.ts'
import { xdsName } from '../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../src/config/xds/xds-state.ts'
import { XdsJoin } from '../../src/config/xds/with-xds.ts'
import type { Graph } from '../../src/controller/graph/graph.ts'
import { proxySettings } from '../../src/controller/settings/proxy-settings.ts'
import { readSettings } from '../../src/controller/settings/read-settings.ts'
import { gatewayDeploymentPlan } from '../../src/controller/translate/deployment/deployment-plan-query.ts'
import {
  type DesiredGateway,
  type DesiredState,
  desiredState,
} from '../../src/controller/translate/desired-state.ts'
import { faultReply } from '../../src/pipeline/fault-reply.ts'
import { Registry } from '../../src/upstream/registry.ts'
import { goldenCertificates } from './support/golden-certificates.ts'
import { goldenGraph, type GoldenObject, readGoldenObjects } from './support/golden-objects.ts'
import { type HostileChoices, hostileChoices } from './support/hostile-choices.ts'

/*
 * The objects of several golden cases, which know nothing of one another, share a cluster. Whatever comes of it, it does
 * not depend on what was there before, and proxies take it.
 */

const root = join(import.meta.dirname, 'golden')
const certificates = goldenCertificates()
const registry = new Registry()
after(async () => {
  certificates[Symbol.dispose]()
  await registry.close()
})

const readCase = (path: string): readonly GoldenObject[] =>
  readGoldenObjects(readFileSync(join(root, path), 'utf8'), (text) => certificates.fill(text))

const common = readCase('cluster.yaml')
/** Without those whose failures are meant. */
const cases = readdirSync(root).filter(
  (name) => existsSync(join(root, name, 'in.yaml')) && !name.includes('unknown-shape'),
)
const deploymentPlan = gatewayDeploymentPlan(
  proxySettings(readSettings({ POD_NAME: 'replica', POD_NAMESPACE: 'system' }, '1.2.3')),
)

const idOf = ({ kind, key }: GoldenObject): string => `${kind} ${key}`

/** Those of two to five cases, of which objects of one name replace each other. */
const someObjects = ({ pick }: HostileChoices): readonly GoldenObject[] => {
  const chosen = Array.from({ length: pick(2, 3, 4, 5) }, () => pick(...cases))
  const objects = chosen.flatMap((name) => readCase(join(name, 'in.yaml')))
  return [...new Map([...common, ...objects].map((object) => [idOf(object), object])).values()]
}

/** A graph that had objects, lost some and got them again, and computed its queries now and then. */
const changedGraph = (objects: readonly GoldenObject[], { pick }: HostileChoices): Graph => {
  const graph = goldenGraph([])
  const present = new Set<GoldenObject>()
  const put = (object: GoldenObject) => {
    graph.set(object.kind, object.key, object.object)
    present.add(object)
  }
  for (const _ of objects) {
    const object = pick(...objects)
    if (present.delete(object)) graph.delete(object.kind, object.key)
    else put(object)
    if (pick(0, 1, 2, 3) === 0) desiredState(graph, deploymentPlan)
  }
  for (const object of objects) {
    if (!present.has(object)) put(object)
    if (pick(0, 1, 2, 3) === 0) desiredState(graph, deploymentPlan)
  }
  return graph
}

/** In an order that does not depend on when objects came. */
const contentOf = ({ gateways, statuses, failures, ...rest }: DesiredState) => ({
  ...rest,
  gateways: Object.fromEntries(
    gateways.map(({ key, resources, ...gateway }) => [
      key,
      {
        ...gateway,
        resources: resourcesOf(resources).toSorted((a, b) => (xdsName(a) < xdsName(b) ? -1 : 1)),
      },
    ]),
  ),
  statuses: Object.fromEntries(statuses.map(({ kind, key, status }) => [`${kind} ${key}`, status])),
  failures: failures.map(({ kind, key }) => `${kind} ${key}`).sort(),
})

const ofFile = parseConfig('{}', 'gateway.yaml', {})

/** What a proxy does with its resources, up to its operators. */
const compile = async ({ resources }: DesiredGateway): Promise<void> => {
  const state = new XdsState(ofFile.shared)
  const sent = resourcesOf(resources).map((one) => ({
    ...one,
    name: xdsName(one),
    model: JSON.stringify(one.model),
  }))
  assert.deepEqual(state.apply({ resources: sent, removed: [] }), [])
  compileConfiguration(await new XdsJoin(state).join({ ...ofFile, name: 'gateway.yaml' }), {
    registry,
    rescuer: faultReply(),
    internal: internalUpstreams([], () => undefined),
  })
}

for (const seed of Array(40).keys())
  test(`cases that share a cluster, seed ${seed}`, async () => {
    const choices = hostileChoices(seed)
    const objects = someObjects(choices)
    const state = desiredState(goldenGraph(objects), deploymentPlan)
    assert.deepEqual(state.failures, [])
    for (const gateway of state.gateways) await compile(gateway)
    const later = desiredState(changedGraph(objects, choices), deploymentPlan)
    assert.deepEqual(contentOf(later), contentOf(state))
  })
