import assert from 'node:assert/strict'
import { test } from 'node:test'
import { of, Subject } from 'rxjs'
import { deployments } from '../../src/controller/deployments.ts'
import type { DeploymentResult } from '../../src/controller/desired-states.ts'
import type { DeploymentPlan } from '../../src/controller/translate/deployment/deployment-plan.ts'
import type { DesiredState } from '../../src/controller/translate/desired-state.ts'
import { silentLog } from '../../src/model/log/module-log.ts'
import { Queue } from './support/queue.ts'
import { type ApiCall, startScriptedApi } from './support/scripted-api.ts'

const key = 'ns/gw'
const owner = (uid: string) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'Gateway',
  name: 'gw',
  uid,
  controller: true,
})
const secret = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { namespace: 'ns', name: 'gw-session-key', ownerReferences: [owner('gw-uid')] },
}
const withoutKey = (): DeploymentPlan => ({ missingSessionKey: secret })
const withObject = (name: string): DeploymentPlan => ({
  objects: [
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { namespace: 'ns', name, ownerReferences: [owner('gw-uid')] },
    },
  ],
  prune: { namespace: 'ns', labelSelector: 'a=b', controllerUid: 'gw-uid', kinds: [] },
})
const state = (...plans: readonly DeploymentPlan[]): DesiredState => ({
  gateways: plans.map((plan) => ({ key, generation: 3, role: key, resources: [], plan })),
  statuses: [],
  failures: [],
  unknownRoles: [],
  classes: [],
  keySets: [],
})

const startDeployments = async () => {
  const api = await startScriptedApi()
  const states$ = new Subject<DesiredState>()
  const results = new Queue<DeploymentResult>()
  const subscription = states$
    .pipe(
      deployments({
        client: api.client,
        fieldManager: 'us',
        isLeader$: of(true),
        log: silentLog,
        onAttempted: () => undefined,
      }),
    )
    .subscribe((result) => results.push(result))
  return {
    ...api,
    states$,
    results,
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

const keyIn = (call: ApiCall): string =>
  (JSON.parse(call.body) as { readonly stringData: { readonly key: string } }).stringData.key

test('a session key that cannot be made is a failure of the deployment, and tried again with another key', async () => {
  await using running = await startDeployments()
  running.states$.next(state(withoutKey()))
  const first = await running.calls.next()
  assert.equal(`${first.method} ${first.path}`, 'POST /api/v1/namespaces/ns/secrets')
  assert.match(keyIn(first), /^[0-9a-f]{64}$/)
  first.fail(403, 'Forbidden', 'secrets is forbidden')
  assert.deepEqual(await running.results.next(), {
    key,
    deployment: {
      generation: 3,
      failure: { reason: 'DeploymentFailed', message: 'secrets is forbidden' },
    },
  })
  const second = await running.calls.next()
  assert.notEqual(keyIn(second), keyIn(first))
  second.json(secret, 201)
  assert.deepEqual(await running.results.next(), { key, deployment: { generation: 3 } })
})

test('a session key that another replica or a user has made is left as it is', async () => {
  for (const ownerReferences of [[owner('gw-uid')], []]) {
    await using running = await startDeployments()
    running.states$.next(state(withoutKey()))
    ;(await running.calls.next()).fail(409, 'AlreadyExists')
    const read = await running.calls.next()
    assert.equal(`${read.method} ${read.path}`, 'GET /api/v1/namespaces/ns/secrets/gw-session-key')
    read.json({ ...secret, type: 'Opaque', metadata: { ...secret.metadata, ownerReferences } })
    assert.deepEqual(await running.results.next(), { key, deployment: { generation: 3 } })
    assert.equal(running.calls.size, 0)
  }
})

test('a Secret that is no session key of this Gateway is a failure', async () => {
  const cases = [
    [
      { ...secret, type: 'Opaque', metadata: { ...secret.metadata, ownerReferences: [owner('before')] } },
      'Secret gw-session-key exists and belongs to another object',
    ],
    [
      {
        ...secret,
        type: 'helm.sh/release.v1',
        metadata: { namespace: 'ns', name: 'gw-session-key' },
      },
      'Secret gw-session-key exists with type helm.sh/release.v1',
    ],
  ] as const
  for (const [live, message] of cases) {
    await using running = await startDeployments()
    running.states$.next(state(withoutKey()))
    ;(await running.calls.next()).fail(409, 'AlreadyExists')
    ;(await running.calls.next()).json(live)
    const { deployment } = await running.results.next()
    assert.deepEqual(deployment?.failure, { reason: 'DeploymentFailed', message })
  }
})

test('how a plan ended that is none any more is no result, and neither is that of a Gateway that is gone', async () => {
  await using running = await startDeployments()
  running.states$.next(state(withObject('first')))
  const first = await running.calls.next()
  running.states$.next(state(withObject('second')))
  first.fail(500, 'InternalError', 'the first')
  const second = await running.calls.next()
  assert.ok(second.path.endsWith('/second'))
  running.states$.next(state())
  assert.deepEqual(await running.results.next(), { key, deployment: undefined })
  second.fail(500, 'InternalError', 'the second')
  // A Gateway of the same name comes: the next result is about it.
  running.states$.next(state(withObject('third')))
  const third = await running.calls.next()
  assert.ok(third.path.endsWith('/third'))
  third.fail(500, 'InternalError', 'the third')
  const { deployment } = await running.results.next()
  assert.equal(deployment?.failure?.message, 'the third')
  assert.equal(running.results.size, 0)
})
