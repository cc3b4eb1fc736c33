import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { firstValueFrom, lastValueFrom, of, Subject, type Subscription } from 'rxjs'
import { ApiClient, type ApiRequest } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'
import { deployObjects, type ObjectGroup } from '../../../src/controller/sinks/apply/deploy-objects.ts'
import { recordEvents } from '../../../src/controller/sinks/record-events.ts'
import { type StatusUpdate, writeStatuses } from '../../../src/controller/sinks/status/write-statuses.ts'
import type { Change } from '../../../src/controller/streams/change.ts'
import { clusterChanges } from '../../../src/controller/streams/cluster-changes.ts'
import { ObjectFeed } from '../../../src/controller/streams/object-feed.ts'
import { ReflectorRecords } from '../../../src/controller/streams/reflector-observer.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../../controller/support/queue.ts'
import { parseManifest } from '../lab/apply-manifest.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { goModuleFolder } from '../lab/programs.ts'

const gateways = '/apis/gateway.networking.k8s.io/v1/namespaces/default/gateways'
const routes = '/apis/gateway.networking.k8s.io/v1/namespaces/default/httproutes'
const controllerName = 'agentgateway.dev/agentgateway'
const gateway = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  metadata: { name: 'gw', namespace: 'default' },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
}
const route = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name: 'r', namespace: 'default' },
  spec: { parentRefs: [{ name: 'gw' }], rules: [{ backendRefs: [{ name: 's', port: 80 }] }] },
}
const accepted = { type: 'Accepted', status: 'True' as const, reason: 'Accepted', message: '' }

test('the API server', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'none' })
  const client = new ApiClient(await loadClusterAccess(cluster.kubeconfig))
  const request = (of: ApiRequest) => firstValueFrom(client.request(of)) as Promise<StoredObject>
  const feed = new ObjectFeed({ set: () => undefined, delete: () => undefined })
  const observer = new ReflectorRecords()
  const changes = new Queue<string>()
  const changes$ = new Subject<Change>()
  changes$.subscribe((change) => {
    feed.apply(change)
    changes.push(
      change.type === 'synced' ? `synced ${change.kind}` : `${change.type} ${change.kind} ${change.key}`,
    )
  })
  const running: Subscription[] = [
    clusterChanges({ client, log: silentLog, observer, discoveryNamespaces: [] }).subscribe(changes$),
  ]
  /** Waits for changes, in any order, and passes over others. */
  const seen = async (...wanted: readonly string[]) => {
    const missing = new Set(wanted)
    while (missing.size > 0) missing.delete(await changes.next())
  }

  await t.test('has kinds of its own, and gets others', async () => {
    while (!feed.isSynced()) await changes.next()
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    for (const { metadata, ...definition } of await gatewayApiDefinitions()) {
      const body = { ...definition, metadata }
      const query = { fieldManager: 'test' }
      const contentType = 'application/apply-patch+yaml'
      const path = `${definitions}/${metadata?.name ?? ''}`
      await request({ method: 'PATCH', path, query, contentType, body })
    }
    for (const path of [gateways, routes])
      await eventually(`${path} is served`, () => request({ method: 'GET', path }).catch(() => undefined))
    await seen('set CustomResourceDefinition gateways.gateway.networking.k8s.io')
    const definition = feed.current('CustomResourceDefinition', 'gateways.gateway.networking.k8s.io')
    assert.equal(definition?.metadata.annotations?.['gateway.networking.k8s.io/channel'], 'experimental')
    assert.deepEqual(Object.keys(definition), ['kind', 'apiVersion', 'metadata'])
  })

  await t.test('sends what is created and deleted', async () => {
    await request({ method: 'POST', path: gateways, body: gateway })
    await request({ method: 'POST', path: routes, body: route })
    await request({ method: 'POST', path: gateways, body: { ...gateway, metadata: { name: 'short-lived' } } })
    await request({ method: 'DELETE', path: `${gateways}/short-lived` })
    await seen('deleted Gateway default/short-lived')
    assert.equal(feed.current('Gateway', 'default/gw')?.kind, 'Gateway')
  })

  await t.test('takes statuses, next to those of others', async () => {
    const theirs = {
      controllerName: 'example.com/other',
      parentRef: { name: 'gw' },
      conditions: [{ ...accepted, lastTransitionTime: '2026-01-01T00:00:00Z' }],
    }
    await request({
      method: 'PATCH',
      path: `${routes}/r/status`,
      contentType: 'application/merge-patch+json',
      body: { status: { parents: [theirs] } },
    })
    const audited = { ...accepted, type: 'example.com/Audited', lastTransitionTime: '2026-01-01T00:00:00Z' }
    await request({
      method: 'PATCH',
      path: `${gateways}/gw/status`,
      query: { fieldManager: 'auditor' },
      contentType: 'application/apply-patch+yaml',
      body: { ...gateway, spec: undefined, status: { conditions: [audited] } },
    })
    const updates$ = new Subject<StatusUpdate>()
    const outcomes = new Queue<string>()
    const options = { client, controllerName, isLeader$: of(true), log: silentLog }
    running.push(
      updates$
        // The object as it was read first: the writer has to find out that it changed.
        .pipe(writeStatuses({ ...options, current: (kind, key) => feed.current(kind, key) }))
        .subscribe(({ result, failure }) => outcomes.push(failure?.message ?? result)),
    )
    const ours = { parentRef: { name: 'gw' }, conditions: [accepted] }
    updates$.next({ kind: 'HTTPRoute', key: 'default/r', status: { parents: [ours] } })
    assert.equal(await outcomes.next(), 'written')
    const { parents } = (await request({ method: 'GET', path: `${routes}/r` })).status
    assert.deepEqual(
      parents?.map((parent) => parent.controllerName),
      ['example.com/other', controllerName],
    )
    const listener = { name: 'http', attachedRoutes: 1, supportedKinds: [], conditions: [accepted] }
    const status = {
      conditions: [accepted, { ...accepted, type: 'InsecureFrontendValidationMode' }],
      listeners: [listener],
      addresses: [{ type: 'IPAddress', value: '10.0.0.1' }],
    }
    updates$.next({ kind: 'Gateway', key: 'default/gw', status })
    assert.equal(await outcomes.next(), 'written')
    const written = await request({ method: 'GET', path: `${gateways}/gw` })
    assert.deepEqual(written.status.conditions?.map(({ type }) => type).sort(), [
      'Accepted',
      'InsecureFrontendValidationMode',
      'Programmed',
      'example.com/Audited',
    ])
    while (
      feed.current('Gateway', 'default/gw')?.metadata.resourceVersion !== written.metadata.resourceVersion
    )
      await changes.next()
    const { addresses, ...less } = status
    assert.ok(addresses.length > 0)
    updates$.next({ kind: 'Gateway', key: 'default/gw', status: { ...less, conditions: [accepted] } })
    assert.equal(await outcomes.next(), 'written')
    const { conditions, ...rest } = (await request({ method: 'GET', path: `${gateways}/gw` })).status
    assert.deepEqual(conditions?.map(({ type }) => type).sort(), [
      'Accepted',
      'Programmed',
      'example.com/Audited',
    ])
    assert.deepEqual(Object.keys(rest), ['listeners'])
  })

  await t.test('gets the objects of a Gateway once, and loses those that are no longer wanted', async () => {
    const { metadata } = await request({ method: 'GET', path: `${gateways}/gw` })
    const controller = {
      apiVersion: gateway.apiVersion,
      kind: 'Gateway',
      name: 'gw',
      uid: metadata.uid ?? '',
    }
    const common = {
      namespace: 'default',
      labels: { 'gateway.networking.k8s.io/gateway-name': 'gw' },
      ownerReferences: [{ ...controller, controller: true }],
    }
    const workload = (kind: 'Deployment' | 'DaemonSet') => ({
      apiVersion: 'apps/v1',
      kind,
      metadata: { ...common, name: 'gw' },
      spec: {
        selector: { matchLabels: { app: 'gw' } },
        template: {
          metadata: { labels: { app: 'gw' } },
          spec: {
            containers: [
              {
                name: 'proxy',
                image: 'proxy:1',
                env: [{ name: 'A', value: '1' }],
                ports: [{ containerPort: 80 }],
              },
            ],
          },
        },
      },
    })
    const service = (ports: readonly number[]) => ({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { ...common, name: 'gw' },
      spec: {
        type: 'LoadBalancer',
        selector: { app: 'gw' },
        ports: ports.map((port) => ({ name: `p${port}`, port })),
      },
    })
    const prune = {
      namespace: 'default',
      labelSelector: 'gateway.networking.k8s.io/gateway-name=gw',
      controllerUid: metadata.uid ?? '',
      kinds: [
        { apiVersion: 'apps/v1', kind: 'Deployment' },
        { apiVersion: 'apps/v1', kind: 'DaemonSet' },
      ],
    }
    const sets$ = new Subject<ObjectGroup>()
    const outcomes = new Queue<string>()
    running.push(
      sets$
        .pipe(deployObjects({ client, fieldManager: controllerName, isLeader$: of(true), log: silentLog }))
        .subscribe(({ applied, pruned, failure }) =>
          outcomes.push(failure?.message ?? `${applied}+${pruned}`),
        ),
    )
    const deploy = async (objects: readonly KubernetesObject[]) => {
      sets$.next({ key: 'default/gw', wanted: { objects, prune } })
      return await outcomes.next()
    }
    assert.equal(await deploy([service([80, 81]), workload('Deployment')]), '2+0')
    assert.equal(await deploy([service([80, 81]), workload('Deployment')]), '0+0')
    assert.equal(await deploy([service([80]), workload('Deployment')]), '1+0')
    assert.equal(await deploy([service([80]), workload('DaemonSet')]), '1+1')
    assert.equal(await deploy([service([80]), workload('DaemonSet')]), '0+0')
  })

  await t.test('takes an event once, of several replicas', async () => {
    const event = {
      object: feed.current('Gateway', 'default/gw') as KubernetesObject,
      type: 'Warning' as const,
      reason: 'AgentGatewayNackError',
      message: 'a listener is refused',
    }
    const problems: unknown[] = []
    const log = { ...silentLog, warn: (...problem: readonly unknown[]) => problems.push(problem) }
    const recorder = () => recordEvents({ client, component: controllerName, log })
    const replicas = [1, 2, 3].map(() =>
      lastValueFrom(of(event).pipe(recorder()), { defaultValue: undefined }),
    )
    await Promise.all(replicas)
    assert.deepEqual(problems, [])
    const { items } = (await request({
      method: 'GET',
      path: '/api/v1/namespaces/default/events',
    })) as unknown as {
      readonly items: readonly {
        readonly reason: string
        readonly involvedObject: { readonly name: string }
      }[]
    }
    assert.deepEqual(
      items
        .filter(({ reason }) => reason === 'AgentGatewayNackError')
        .map(({ involvedObject }) => involvedObject.name),
      ['gw'],
    )
  })

  await t.test('loses a kind and gets it back', async () => {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const path = `${definitions}/httproutes.gateway.networking.k8s.io`
    const { metadata, status: _status, ...definition } = await request({ method: 'GET', path })
    const { name, annotations } = metadata
    await request({ method: 'DELETE', path })
    await seen(
      'deleted HTTPRoute default/r',
      'deleted CustomResourceDefinition httproutes.gateway.networking.k8s.io',
    )
    await request({
      method: 'POST',
      path: definitions,
      body: { ...definition, metadata: { name, annotations } },
    })
    await seen('set CustomResourceDefinition httproutes.gateway.networking.k8s.io')
    for (;;) {
      const created = await request({ method: 'POST', path: routes, body: route }).catch(() => undefined)
      if (created) break
    }
    await seen('set HTTPRoute default/r')
  })

  await t.test('comes back, and what changed is seen', async () => {
    await cluster.stopServer()
    await cluster.startServer()
    await request({ method: 'DELETE', path: `${gateways}/gw` })
    await seen('deleted Gateway default/gw')
  })

  for (const subscription of running) subscription.unsubscribe()
  await client.close()
})

/**
 * Applied as they are: the serializer of the typed client drops the markers that say how lists are merged, and without
 * them a status belongs to whoever wrote it last.
 */
const gatewayApiDefinitions = async () => {
  const folder = join(await goModuleFolder('sigs.k8s.io/gateway-api'), 'config', 'crd', 'experimental')
  return globSync('*.yaml', { cwd: folder })
    .flatMap((path) => parseManifest(readFileSync(join(folder, path), 'utf8')))
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
}

interface StoredObject {
  readonly metadata: KubernetesObject['metadata']
  readonly status: {
    readonly parents?: readonly { readonly controllerName: string }[]
    readonly conditions?: readonly { readonly type: string }[]
  }
}
