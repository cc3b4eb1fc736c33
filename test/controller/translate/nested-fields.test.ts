import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourcesOf } from '../../../src/config/xds/resource-tree.ts'
import { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { Kind } from '../../../src/controller/kinds/kinds.ts'
import type { Change } from '../../../src/controller/streams/change.ts'
import { ObjectFeed } from '../../../src/controller/streams/object-feed.ts'
import { readWatchedObject } from '../../../src/controller/streams/watched-object.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'
import { goldenGraph } from '../support/golden-objects.ts'
import { gateway, object, route } from '../support/long-lists.ts'
import { conditionOf } from '../support/namespace-graph.ts'
import type { PlainObject } from '../support/plain-object.ts'

/* Fields of any shape may have 10,000 levels, as the API server has it: they change, and stop nothing else. */

const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const nested = (levels: number, leaf: string): unknown =>
  JSON.parse(`${'{"a":'.repeat(levels)}${JSON.stringify(leaf)}${'}'.repeat(levels)}`)

const policy = (resourceMetadata: unknown): PlainObject =>
  object('ProxyPolicy', 'policy', {
    targetRefs: [{ group: 'gateway.networking.k8s.io', kind: 'HTTPRoute', name: 'route' }],
    traffic: {
      jwtAuthentication: {
        providers: [{ issuer: 'https://idp.example.com', audiences: ['a'], jwks: { inline: '{"keys":[]}' } }],
        mcp: { resourceMetadata },
      },
    },
  })

const setObject = (feed: ObjectFeed, one: PlainObject): boolean => {
  const kind = one.kind as Kind
  const { namespace, name } = one.metadata
  return feed.apply({
    type: 'set',
    kind,
    key: namespace === undefined ? name : `${namespace}/${name}`,
    object: readWatchedObject(kind, one),
  } as Change)
}

const newFeed = (): { readonly graph: Graph; readonly feed: ObjectFeed } => {
  const graph = goldenGraph([])
  const feed = new ObjectFeed(graph)
  const spec = { controllerName: 'agentgateway.dev/agentgateway' }
  setObject(feed, { kind: 'GatewayClass', metadata: { name: 'agentgateway' }, spec })
  for (const one of [gateway, route({ backendRefs: [] })]) setObject(feed, one)
  return { graph, feed }
}

test('a policy that is nested too deep is refused by its name, and refuses requests', () => {
  // 2,000 levels overflow the stack of a comparison, and 9,900 that of a check.
  for (const levels of [100, 2_000, 9_900]) {
    const { graph, feed } = newFeed()
    for (const leaf of ['x', 'y', 'x']) {
      setObject(feed, policy(nested(levels, leaf)))
      const { failures, statuses, gateways } = desiredState(graph, noPlan)
      assert.deepEqual(failures, [])
      const status = statuses.find(({ kind }) => kind === 'ProxyPolicy')?.status
      assert.equal(
        conditionOf((status as { readonly ancestors: readonly unknown[] }).ancestors, 'Accepted'),
        'False Invalid: traffic.jwtAuthentication: is nested more than 100 levels deep',
      )
      const sent = gateways.flatMap(({ resources }) => resourcesOf(resources))
      const [refusing] = sent.filter(({ kind }) => kind === 'policy')
      assert.match(
        JSON.stringify(refusing?.model),
        /"policy":\{"authorization":\{"rules":\[\{"deny":"true"\}\]\}\}/,
      )
    }
  }
})

test('of objects of our kinds, 200 levels are kept', () => {
  const read = (value: unknown): string =>
    JSON.stringify(readWatchedObject('ProxyPolicy', { ...policy(value), status: value }))
  assert.match(read(nested(190, 'kept')), /kept/)
  assert.doesNotMatch(read(nested(200, 'kept')), /kept/)
})
