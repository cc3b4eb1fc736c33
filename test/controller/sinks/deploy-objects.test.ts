import assert from 'node:assert/strict'
import { test } from 'node:test'
import { of, Subject } from 'rxjs'
import {
  deployObjects,
  type DeploymentOutcome,
  type ObjectGroup,
} from '../../../src/controller/sinks/apply/deploy-objects.ts'
import type { KubernetesObject } from '../../../src/controller/kinds/object.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { Queue } from '../support/queue.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

const owner = {
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  name: 'gw',
  uid: 'gw-uid',
  controller: true,
}
const configMap = (name: string, value: string) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace: 'ns', name, ownerReferences: [owner] },
  data: { value },
})
/** An object as the API server has it. */
const stored = <T extends { readonly metadata: object }>(object: T) => ({
  ...object,
  metadata: { ...object.metadata, uid: 'u', resourceVersion: '7' },
})
const prune = {
  namespace: 'ns',
  labelSelector: 'gateway.networking.k8s.io/gateway-name=gw',
  controllerUid: 'gw-uid',
  kinds: [{ apiVersion: 'apps/v1', kind: 'Deployment' }],
}
const path = '/api/v1/namespaces/ns/configmaps'

const startDeployer = async () => {
  const api = await startScriptedApi()
  const sets$ = new Subject<ObjectGroup>()
  const outcomes = new Queue<DeploymentOutcome>()
  const options = { client: api.client, fieldManager: 'us', isLeader$: of(true), log: silentLog }
  const subscription = sets$.pipe(deployObjects(options)).subscribe((outcome) => outcomes.push(outcome))
  return {
    ...api,
    sets$,
    /** The next outcome, without the set. */
    outcome: async () => {
      const { key, applied, pruned, failure } = await outcomes.next()
      return { key, applied, pruned, reason: failure?.reason }
    },
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

test('applies what differs from the live objects', async () => {
  await using deployer = await startDeployer()
  const objects = [configMap('same', '1'), configMap('other', '2'), configMap('new', '3')]
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects } })
  ;(await deployer.calls.next()).json({ ...configMap('same', '1'), immutable: false })
  ;(await deployer.calls.next()).json(stored(configMap('other', 'old')))
  const apply = await deployer.calls.next()
  assert.equal(`${apply.method} ${apply.path}`, `PATCH ${path}/other`)
  assert.deepEqual(Object.fromEntries(apply.query), { fieldManager: 'us', force: 'true' })
  // The version that was looked at, and no other one.
  assert.deepEqual(JSON.parse(apply.body), stored(configMap('other', '2')))
  apply.json({})
  ;(await deployer.calls.next()).fail(404, 'NotFound')
  const create = await deployer.calls.next()
  assert.equal(`${create.method} ${create.path}`, `PATCH ${path}/new`)
  // No object has this version: one that exists by now is not applied to.
  assert.equal((JSON.parse(create.body) as KubernetesObject).metadata.resourceVersion, '1')
  create.json({})
  assert.deepEqual(await deployer.outcome(), { key: 'ns/gw', applied: 2, pruned: 0, reason: undefined })
})

test('applies again what only has fields that are no longer wanted', async () => {
  await using deployer = await startDeployer()
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [configMap('a', '1')] } })
  const { metadata, ...live } = configMap('a', '1')
  const fieldsV1 = { 'f:data': { 'f:value': {}, 'f:old': {} } }
  const managedFields = [{ manager: 'us', operation: 'Apply', fieldsV1 }]
  ;(await deployer.calls.next()).json({
    ...live,
    data: { value: '1', old: '0' },
    metadata: { ...metadata, managedFields },
  })
  assert.equal((await deployer.calls.next()).method, 'PATCH')
})

test('leaves objects alone that it does not control', async () => {
  await using deployer = await startDeployer()
  deployer.sets$.next({
    key: 'ns/gw',
    wanted: { objects: [configMap('a', '1'), configMap('b', '1')], prune },
  })
  const { metadata, ...live } = configMap('a', 'theirs')
  ;(await deployer.calls.next()).json({ ...live, metadata: { ...metadata, ownerReferences: [] } })
  // What follows is not applied, and nothing is deleted.
  assert.deepEqual(await deployer.outcome(), { key: 'ns/gw', applied: 0, pruned: 0, reason: 'NotControlled' })
})

test('looks again at what somebody else changed meanwhile, and gives up for now after five times', async () => {
  await using deployer = await startDeployer()
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [configMap('a', '1')] } })
  for (let attempt = 1; attempt <= 5; attempt++) {
    const read = await deployer.calls.next()
    assert.equal(read.method, 'GET')
    read.json(stored(configMap('a', `${attempt * 10}`)))
    ;(await deployer.calls.next()).fail(409, 'Conflict')
  }
  assert.equal((await deployer.outcome()).reason, 'Conflict')
})

test('takes back what lost its owner, if its labels say whose it is', async () => {
  const labels = { 'app.kubernetes.io/managed-by': 'agentgateway' }
  const labelled = (gateway: string) => {
    const { metadata, ...rest } = configMap('a', '1')
    return {
      ...rest,
      metadata: { ...metadata, labels: { ...labels, 'gateway.networking.k8s.io/gateway-name': gateway } },
    }
  }
  const orphan = (gateway: string) => {
    const { metadata, ...rest } = stored(labelled(gateway))
    return { ...rest, metadata: { ...metadata, ownerReferences: [] } }
  }
  await using deployer = await startDeployer()
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [labelled('gw')] } })
  ;(await deployer.calls.next()).json(orphan('gw'))
  const apply = await deployer.calls.next()
  assert.deepEqual((JSON.parse(apply.body) as KubernetesObject).metadata.ownerReferences, [owner])
  apply.json({})
  assert.equal((await deployer.outcome()).applied, 1)
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [labelled('gw')] } })
  ;(await deployer.calls.next()).json(orphan('other'))
  assert.equal((await deployer.outcome()).reason, 'NotControlled')
})

test('deletes what it controls and no longer wants', async () => {
  await using deployer = await startDeployer()
  const deployment = (name: string, uid: string, controller = owner) => ({
    metadata: { namespace: 'ns', name, uid, ownerReferences: [controller] },
  })
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [], prune } })
  const list = await deployer.calls.next()
  assert.equal(list.path, '/apis/apps/v1/namespaces/ns/deployments')
  assert.equal(list.query.get('labelSelector'), prune.labelSelector)
  list.json({ items: [deployment('theirs', 'u1', { ...owner, uid: 'other' }), deployment('gw', 'u2')] })
  const deletion = await deployer.calls.next()
  assert.equal(`${deletion.method} ${deletion.path}`, 'DELETE /apis/apps/v1/namespaces/ns/deployments/gw')
  assert.deepEqual(JSON.parse(deletion.body), {
    propagationPolicy: 'Background',
    preconditions: { uid: 'u2' },
  })
  deletion.json({})
  assert.deepEqual(await deployer.outcome(), { key: 'ns/gw', applied: 0, pruned: 1, reason: undefined })
})

test('reports a failure as a value, and tries again', async () => {
  await using deployer = await startDeployer()
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [configMap('a', '1')] } })
  ;(await deployer.calls.next()).fail(404, 'NotFound')
  ;(await deployer.calls.next()).fail(403, 'Forbidden')
  assert.deepEqual(await deployer.outcome(), { key: 'ns/gw', applied: 0, pruned: 0, reason: 'Forbidden' })
  ;(await deployer.calls.next()).json(configMap('a', '1'))
  assert.deepEqual(await deployer.outcome(), { key: 'ns/gw', applied: 0, pruned: 0, reason: undefined })
})

test('refuses kinds that it does not know', async () => {
  await using deployer = await startDeployer()
  const role = {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'admin' },
  }
  deployer.sets$.next({ key: 'ns/gw', wanted: { objects: [role] } })
  assert.equal((await deployer.outcome()).reason, 'UnknownKind')
  assert.equal(deployer.calls.size, 0)
})
