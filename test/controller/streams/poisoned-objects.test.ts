import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { from, lastValueFrom, toArray } from 'rxjs'
import { Graph } from '../../../src/controller/graph/graph.ts'
import { defineQuery } from '../../../src/controller/graph/query.ts'
import type { Gateway } from '../../../src/controller/kinds/gateway-api.ts'
import { type Kind, kinds } from '../../../src/controller/kinds/kinds.ts'
import { ownerGateways } from '../../../src/controller/owner-gateways.ts'
import type { Change } from '../../../src/controller/streams/change.ts'
import { inDiscoveryNamespaces } from '../../../src/controller/streams/discovery-namespaces.ts'
import { ObjectFeed } from '../../../src/controller/streams/object-feed.ts'
import { readWatchedObject } from '../../../src/controller/streams/watched-object.ts'
import type { DeploymentPlan } from '../../../src/controller/translate/deployment/deployment-plan.ts'
import { desiredState } from '../../../src/controller/translate/desired-state.ts'

const group = 'gateway.networking.k8s.io/v1'
const settings = {
  controllerName: 'agentgateway.dev/agentgateway',
  gatewayClassName: 'agentgateway',
  clusterDomain: 'cluster.local',
}
const noPlan = defineQuery<DeploymentPlan | undefined>('noPlan', () => undefined)

const healthy: Gateway = {
  apiVersion: group,
  kind: 'Gateway',
  metadata: { namespace: 'ns', name: 'healthy', generation: 1 },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
}

/** Values of other types than expected. */
const WRONG = [undefined, null, 5, 'text', true, [], [null], [5], {}, { x: null }]

/** Fields whose contents are read, each wrong in every way. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  spec: [
    'parentRefs',
    'rules',
    'hostnames',
    'listeners',
    'parentRef',
    'targetRefs',
    'validation',
    'from',
    'to',
    'ports',
    'clusterIPs',
    'ipFamilies',
    'addresses',
    'infrastructure',
    'tls',
    'allowedListeners',
  ],
  metadata: ['labels', 'annotations', 'ownerReferences', 'creationTimestamp', 'generation'],
}

const poisoned = function* (kind: Kind): Iterable<object> {
  const metadata = { ...(kinds[kind].isNamespaced ? { namespace: 'ns' } : {}), name: 'poisoned' }
  for (const field of ['spec', 'data', 'binaryData', 'endpoints', 'ports', 'addressType', 'status'])
    for (const value of WRONG) yield { metadata, [field]: value }
  for (const field of FIELDS.spec ?? [])
    for (const value of WRONG) yield { metadata, spec: { gatewayClassName: 'agentgateway', [field]: value } }
  for (const field of FIELDS.metadata ?? [])
    for (const value of WRONG) yield { metadata: { ...metadata, [field]: value }, spec: {} }
}

suite('an object of an unexpected shape', () => {
  for (const kind of Object.keys(kinds) as readonly Kind[])
    test(`of ${kind} ends nothing, and takes nothing from others`, () => {
      const graph = new Graph(settings)
      const feed = new ObjectFeed(graph)
      const put = (of: Kind, key: string, object: unknown) =>
        feed.apply({ type: 'set', kind: of, key, object: readWatchedObject(of, object) } as Change)
      put('GatewayClass', 'agentgateway', {
        metadata: { name: 'agentgateway' },
        spec: { controllerName: settings.controllerName },
      })
      put('Gateway', 'ns/healthy', healthy)
      let state = desiredState(graph, noPlan)
      const key = kinds[kind].isNamespaced ? 'ns/poisoned' : 'poisoned'
      for (const object of poisoned(kind)) {
        put(kind, key, object)
        state = desiredState(graph, noPlan, state)
        assert.ok(
          state.gateways.some((one) => one.key === 'ns/healthy'),
          JSON.stringify(object),
        )
        assert.deepEqual(
          state.failures.filter((failure) => failure.key === 'ns/healthy').map(({ error }) => String(error)),
          [],
          JSON.stringify(object),
        )
      }
      feed.apply({
        type: 'deleted',
        kind,
        key,
        object: readWatchedObject(kind, { metadata: { name: 'poisoned' } }),
      } as Change)
      assert.deepEqual(desiredState(graph, noPlan, state).failures, [])
    })
})

suite('metadata of an object', () => {
  test('are without what tools keep for themselves', () => {
    const { metadata } = readWatchedObject('Gateway', {
      ...healthy,
      metadata: {
        ...healthy.metadata,
        managedFields: [{}],
        labels: { team: 'a' },
        annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
        ownerReferences: [{ kind: 'Gateway', name: 'g' }],
      },
    })
    assert.deepEqual(metadata, {
      ...healthy.metadata,
      labels: { team: 'a' },
      annotations: { kept: 'yes' },
      ownerReferences: [{ kind: 'Gateway', name: 'g' }],
    })
  })

  test('of another type than usual stop nobody who follows all objects', async () => {
    const metadata = { name: 'poisoned', labels: null, annotations: 5, ownerReferences: [null, 5] }
    const object = readWatchedObject('Namespace', { metadata })
    assert.deepEqual(object.metadata, { name: 'poisoned' })
    const change = { type: 'set', kind: 'Namespace', key: 'poisoned', object } as const
    const deployed = {
      type: 'set',
      kind: 'Service',
      key: 'poisoned',
      object: readWatchedObject('Service', { metadata }),
    } as const
    const selected$ = from<Change[]>([change, { type: 'synced', kind: 'Namespace' }]).pipe(
      inDiscoveryNamespaces([{ matchLabels: { team: 'a' } }]),
    )
    assert.equal((await lastValueFrom(selected$.pipe(toArray()))).length, 2)
    assert.deepEqual(await lastValueFrom(ownerGateways(from<Change[]>([deployed])).pipe(toArray())), [])
  })
})
