import assert from 'node:assert/strict'
import { test } from 'node:test'
import { concatMap, defer, firstValueFrom, from, lastValueFrom, type Observable } from 'rxjs'
import { ApiClient, type ApiRequest } from '../../../src/controller/api/api-client.ts'
import { asApiFailure } from '../../../src/controller/api/api-failure.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'
import { applyObject } from '../../../src/controller/sinks/apply/apply-object.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'

const path = '/api/v1/namespaces/default/configmaps'
const fieldManager = 'agentgateway.dev/agentgateway'
const owner = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  name: 'gw',
  uid: '7b2b2f62-0000-4000-8000-000000000001',
  controller: true,
}
const ours = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name, ownerReferences: [owner] },
  data: { value },
})
const theirs = (name: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'default', name },
  data: { theirs: 'yes' },
})

/** Between reading an object and applying it, something happens. */
class RacingClient extends ApiClient {
  race: () => Promise<unknown> = () => Promise.resolve()

  override request(request: ApiRequest): Observable<unknown> {
    const sent$ = super.request(request)
    return request.method === 'PATCH' ? defer(() => from(this.race())).pipe(concatMap(() => sent$)) : sent$
  }
}

test('objects of others', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster({ channel: 'none' })
  await using stack = new AsyncDisposableStack()
  const client = stack.adopt(new ApiClient(await loadClusterAccess(cluster.kubeconfig)), (of) => of.close())
  const racing = stack.adopt(new RacingClient(await loadClusterAccess(cluster.kubeconfig)), (of) =>
    of.close(),
  )
  const send = (request: ApiRequest) => firstValueFrom(client.request(request)) as Promise<StoredConfigMap>
  const read = (name: string) => send({ method: 'GET', path: `${path}/${name}` })
  const apply = (object: KubernetesObject) =>
    lastValueFrom(applyObject(object, { client: racing, fieldManager })).catch(
      (error: unknown) => asApiFailure(error).reason,
    )
  /** Applies an object; once, something happens before. */
  const applyAfter = (object: KubernetesObject, race: () => Promise<unknown>) => {
    racing.race = () => {
      racing.race = () => Promise.resolve()
      return race()
    }
    return apply(object)
  }

  await t.test('are left alone', async () => {
    await send({ method: 'POST', path, body: theirs('existing') })
    assert.equal(await apply(ours('existing', '1')), 'NotControlled')
    assert.deepEqual((await read('existing')).data, { theirs: 'yes' })
  })

  await t.test('are left alone that were created after looking', async () => {
    const result = await applyAfter(ours('created', '1'), () =>
      send({ method: 'POST', path, body: theirs('created') }),
    )
    assert.equal(result, 'NotControlled')
    const { data, metadata } = await read('created')
    assert.deepEqual(data, { theirs: 'yes' })
    assert.equal(metadata.ownerReferences, undefined)
  })

  await t.test('are left alone that took the place of ours', async () => {
    assert.equal(await apply(ours('replaced', '1')), true)
    const result = await applyAfter(ours('replaced', '2'), async () => {
      await send({ method: 'DELETE', path: `${path}/replaced` })
      await send({ method: 'POST', path, body: theirs('replaced') })
    })
    // The first attempt does not say more than that it is another object; the next one does.
    assert.ok(result === 'Invalid' || result === 'NotControlled', String(result))
    assert.equal(await apply(ours('replaced', '2')), 'NotControlled')
    assert.deepEqual((await read('replaced')).data, { theirs: 'yes' })
  })

  await t.test(
    'are not the only ones: ours are created again, and changed in spite of other changes',
    async () => {
      assert.equal(await apply(ours('own', '1')), true)
      assert.equal(
        await applyAfter(ours('own', '2'), () => send({ method: 'DELETE', path: `${path}/own` })),
        true,
      )
      assert.deepEqual((await read('own')).data, { value: '2' })
      const touch = () =>
        send({
          method: 'PATCH',
          path: `${path}/own`,
          contentType: 'application/merge-patch+json',
          body: { data: { more: '1' } },
        })
      assert.equal(await applyAfter(ours('own', '3'), touch), true)
      assert.deepEqual((await read('own')).data, { value: '3', more: '1' })
      assert.equal(await apply(ours('own', '3')), false)
    },
  )
})

interface StoredConfigMap extends KubernetesObject {
  readonly data?: Readonly<Record<string, string>>
}
