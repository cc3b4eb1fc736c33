import assert from 'node:assert/strict'
import { test } from 'node:test'
import { firstValueFrom, of, Subject } from 'rxjs'
import { ApiClient, type ApiRequest } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { deployments } from '../../../src/controller/deployments.ts'
import type { DeploymentResult } from '../../../src/controller/desired-states.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'
import type { DesiredState } from '../../../src/controller/translate/desired-state.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../../controller/support/queue.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'

const path = '/api/v1/namespaces/default/secrets'
const fieldManager = 'agentgateway.dev/agentgateway'
const secretOf = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    namespace: 'default',
    name,
    ownerReferences: [
      {
        apiVersion: 'gateway.networking.k8s.io/v1',
        kind: 'Gateway',
        name: 'gw',
        uid: '7b2b2f62-0000-4000-8000-000000000001',
        controller: true,
      },
    ],
  },
})
const stateOf = (name: string): DesiredState => ({
  gateways: [
    {
      key: `default/${name}`,
      generation: 1,
      role: '',
      resources: [],
      plan: { missingSessionKey: secretOf(name) },
    },
  ],
  statuses: [],
  failures: [],
  unknownRoles: [],
  classes: [],
  keySets: [],
})

test('session keys', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'none' })
  await using stack = new AsyncDisposableStack()
  const client = stack.adopt(new ApiClient(await loadClusterAccess(cluster.kubeconfig)), (of) => of.close())
  const send = (request: ApiRequest) => firstValueFrom(client.request(request)) as Promise<StoredSecret>
  const startLeader = () => {
    const states$ = new Subject<DesiredState>()
    const results = new Queue<DeploymentResult>()
    const subscription = states$
      .pipe(
        deployments({
          client,
          fieldManager,
          isLeader$: of(true),
          log: silentLog,
          onAttempted: () => undefined,
        }),
      )
      .subscribe((result) => results.push(result))
    stack.defer(() => {
      subscription.unsubscribe()
    })
    return { states$, results }
  }
  const leaders = [startLeader(), startLeader(), startLeader()]
  const deployed = async (name: string) => {
    for (const { states$ } of leaders) states$.next(stateOf(name))
    return await Promise.all(leaders.map(async ({ results }) => (await results.next()).deployment?.failure))
  }

  await t.test('are made once by several leaders at once', async () => {
    for (let round = 0; round < 20; round++) {
      const name = `key-${round}`
      const firsts = (async () => {
        for (;;) {
          const secret = await send({ method: 'GET', path: `${path}/${name}` }).catch(() => undefined)
          if (secret) return secret
        }
      })()
      assert.deepEqual(await deployed(name), [undefined, undefined, undefined])
      const first = await firsts
      const last = await send({ method: 'GET', path: `${path}/${name}` })
      assert.equal(last.metadata.resourceVersion, first.metadata.resourceVersion)
      assert.match(Buffer.from(last.data.key ?? '', 'base64').toString(), /^[0-9a-f]{64}$/)
    }
  })

  await t.test('of users are kept', async () => {
    const body = {
      ...secretOf('own'),
      metadata: { name: 'own' },
      type: 'Opaque',
      stringData: { key: 'mine' },
    }
    const { metadata } = await send({ method: 'POST', path, body })
    assert.deepEqual(await deployed('own'), [undefined, undefined, undefined])
    const after = await send({ method: 'GET', path: `${path}/own` })
    assert.equal(after.metadata.resourceVersion, metadata.resourceVersion)
  })
})

interface StoredSecret extends KubernetesObject {
  readonly data: Readonly<Record<string, string>>
}
