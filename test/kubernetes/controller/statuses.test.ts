import assert from 'node:assert/strict'
import { test } from 'node:test'
import { filter, of, Subject } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import {
  type StatusOutcome,
  type StatusUpdate,
  writeStatuses,
} from '../../../src/controller/sinks/status/write-statuses.ts'
import { clusterChanges } from '../../../src/controller/streams/cluster-changes.ts'
import type { Change } from '../../../src/controller/streams/change.ts'
import { ObjectFeed } from '../../../src/controller/streams/object-feed.ts'
import { ReflectorRecords } from '../../../src/controller/streams/reflector-observer.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../../controller/support/queue.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'

const apiVersion = 'gateway.networking.k8s.io/v1'
const us = 'agentgateway.dev/agentgateway'
const them = 'example.com/other'
const namespace = 'default'
const object = (kind: string, name: string, spec: object): AnyObject => ({
  apiVersion,
  kind,
  metadata: { namespace, name },
  spec,
})
const classOf = (name: string, controllerName: string): AnyObject => ({
  apiVersion,
  kind: 'GatewayClass',
  metadata: { name },
  spec: { controllerName },
})
const gateway = (name: string, gatewayClassName = 'agentgateway') =>
  object('Gateway', name, { gatewayClassName, listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] })
const route = (name: string, ...parents: readonly string[]) =>
  object('HTTPRoute', name, { parentRefs: parents.map((parent) => ({ name: parent })) })
const listenerSet = object('ListenerSet', 'set', {
  parentRef: { name: 'handed-over' },
  listeners: [{ name: 'more', port: 81, protocol: 'HTTP' }],
})
const condition = (message = '') => ({
  type: 'Accepted',
  status: 'True' as const,
  reason: 'Accepted',
  message,
})

test('statuses', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster()
  await using objects = await openClusterObjects(cluster.kubeconfig)
  await using stack = new AsyncDisposableStack()
  const client = stack.adopt(new ApiClient(await loadClusterAccess(cluster.kubeconfig)), (of) => of.close())
  const parentsOf = async (name: string) => {
    const { status } = await objects.read(route(name))
    const { parents = [] } = (status ?? {}) as { readonly parents?: readonly Parent[] }
    return parents.map(({ controllerName, parentRef }) => `${controllerName} ${parentRef.name}`).sort()
  }

  const acceptedReason = async (of: AnyObject): Promise<string | undefined> => {
    const { conditions = [] } = ((await objects.read(of)).status ?? {}) as {
      readonly conditions?: readonly { readonly type: string; readonly reason: string }[]
    }
    return conditions.find(({ type }) => type === 'Accepted')?.reason
  }

  await t.test('of two controllers come to rest, next to each other', async () => {
    const feed = new ObjectFeed({ set: () => undefined, delete: () => undefined })
    const changes$ = new Subject<Change>()
    const changes = new Queue<Change>()
    changes$.subscribe((change) => {
      feed.apply(change)
      changes.push(change)
    })
    const options = { client, log: silentLog, observer: new ReflectorRecords(), discoveryNamespaces: [] }
    const reflecting = clusterChanges(options).subscribe(changes$)
    stack.defer(() => {
      reflecting.unsubscribe()
    })
    const seen = async (name: string) => {
      while (!feed.current('HTTPRoute', `${namespace}/${name}`)) await changes.next()
    }
    await objects.create(route('shared', 'one'))
    await seen('shared')
    const writers = [us, them].map((controllerName) => {
      const updates$ = new Subject<StatusUpdate>()
      const outcomes = new Queue<StatusOutcome>()
      const set$ = changes$.pipe(filter((change) => change.type === 'set'))
      const writing = updates$
        .pipe(
          writeStatuses({
            client,
            controllerName,
            isLeader$: of(true),
            log: silentLog,
            current: (kind, key) => feed.current(kind, key),
            changes$: set$,
          }),
        )
        .subscribe((outcome) => outcomes.push(outcome))
      stack.defer(() => {
        writing.unsubscribe()
      })
      return { controllerName, updates$, outcomes }
    })
    // What other programs say is quoted in messages.
    const message = `\u0000\u001f\u007f\u0085\ud83d \u2028\ufeff \\ud83d ${'😀'.repeat(20_000)}`
    for (const { updates$, controllerName } of writers)
      updates$.next({
        kind: 'HTTPRoute',
        key: `${namespace}/shared`,
        status: {
          parents: [
            { parentRef: { name: 'one' }, conditions: [condition(message)] },
            { parentRef: { name: controllerName.slice(0, 5) }, conditions: [condition()] },
          ],
        },
      })
    await eventually('both have written', async () =>
      (await parentsOf('shared')).length === 4 ? true : undefined,
    )
    // Whatever follows from that is over when a later change has been seen.
    for (const marker of ['marker-1', 'marker-2', 'marker-3']) {
      await objects.create(route(marker, 'one'))
      await seen(marker)
    }
    for (const { outcomes } of writers) {
      const results: string[] = []
      while (outcomes.size > 0) results.push((await outcomes.next()).result)
      assert.equal(results.filter((result) => result === 'written').length, 1, results.join())
      assert.ok(!results.includes('failed'), results.join())
    }
  })

  await t.test('that nobody looked after are corrected by a control plane that starts', async () => {
    await objects.create(classOf('foreign', them))
    for (const name of ['stays', 'deleted', 'handed-over'])
      await objects.create({
        ...gateway(name),
        spec: { ...(gateway(name).spec as object), allowedListeners: { namespaces: { from: 'Same' } } },
      })
    await objects.create(listenerSet)
    await objects.create(route('several', 'stays', 'deleted', 'handed-over'))
    await objects.create(route('moved', 'deleted'))
    const first = stack.use(await startControllerProcess(cluster.kubeconfig))
    await eventually('all have statuses', async () =>
      (await parentsOf('several')).length === 3 &&
      (await parentsOf('moved')).length === 1 &&
      (await acceptedReason(listenerSet)) === 'Accepted' &&
      (await acceptedReason(gateway('handed-over'))) === 'Accepted'
        ? true
        : undefined,
    )
    await first.end('SIGKILL')
    const { status } = await objects.read(route('several'))
    const { parents } = status as { readonly parents: readonly Parent[] }
    await client
      .request({
        method: 'PATCH',
        path: `/apis/${apiVersion}/namespaces/${namespace}/httproutes/several/status`,
        contentType: 'application/merge-patch+json',
        body: {
          status: {
            parents: [
              ...parents,
              { controllerName: them, parentRef: { name: 'deleted' }, conditions: parents[0]?.conditions },
            ],
          },
        },
      })
      .forEach(() => undefined)
    await objects.delete(gateway('deleted'))
    await objects.patch(gateway('handed-over'), { spec: { gatewayClassName: 'foreign' } })
    await objects.patch(route('moved'), { spec: { parentRefs: [{ name: 'elsewhere' }] } })
    stack.use(await startControllerProcess(cluster.kubeconfig))
    await eventually('the statuses are corrected', async () =>
      (await parentsOf('moved')).length === 0 &&
      (await parentsOf('several')).length === 2 &&
      (await acceptedReason(listenerSet)) !== 'Accepted' &&
      (await acceptedReason(gateway('handed-over'))) !== 'Accepted'
        ? true
        : undefined,
    )
    assert.deepEqual(await parentsOf('several'), [`${us} stays`, `${them} deleted`])
    assert.equal(await acceptedReason(gateway('stays')), 'Accepted')
    assert.equal(
      ((await objects.read(gateway('handed-over'))).status as { listeners?: unknown }).listeners,
      undefined,
    )
  })
})

interface Parent {
  readonly controllerName: string
  readonly parentRef: { readonly name: string }
  readonly conditions: unknown
}
