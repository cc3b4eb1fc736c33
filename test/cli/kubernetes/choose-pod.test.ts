import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runAgctlProgram } from '../../support/cli/agctl.ts'
import { startStandInAdmin } from '../../support/cli/admin-server.ts'
import { startKubernetesApi } from '../../support/cli/kubernetes-api.ts'

const gateways = 'apis/gateway.networking.k8s.io/v1/namespaces'

interface TestedPod {
  readonly created: string
  readonly isReady?: boolean
  readonly phase?: string
  readonly isEnding?: boolean
  readonly status?: object
}

const pod = (
  gateway: string,
  name: string,
  { created, isReady = true, phase = 'Running', ...rest }: TestedPod,
) => ({
  [`api/v1/namespaces/apps/pods/${name}`]: {
    metadata: {
      name,
      namespace: 'apps',
      labels: { 'gateway.networking.k8s.io/gateway-name': gateway },
      creationTimestamp: `2026-01-01T${created}:00Z`,
      ...(rest.isEnding && { deletionTimestamp: '2026-01-01T12:00:00Z' }),
    },
    status: { phase, conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }], ...rest.status },
  },
})

const gateway = (name: string, status: object = {}, namespace = 'apps') => ({
  [`${gateways}/${namespace}/gateways/${name}`]: {
    metadata: { name, namespace },
    spec: { gatewayClassName: 'agentgateway' },
    status,
  },
})

const waiting = { state: { waiting: { reason: 'ImagePullBackOff', message: 'no such image' } } }
const objects = {
  ...gateway('web'),
  ...pod('web', 'web-old', { created: '08:00' }),
  ...pod('web', 'web-new', { created: '09:00' }),
  ...pod('web', 'web-ending', { created: '10:00', isEnding: true }),
  ...pod('web', 'web-unready', { created: '11:00', isReady: false }),
  ...pod('web', 'web-evicted', { created: '11:30', isReady: false, phase: 'Failed' }),
  ...gateway('one'),
  ...pod('one', 'one-ready', { created: '08:00' }),
  ...pod('one', 'one-pending', {
    created: '09:00',
    isReady: false,
    phase: 'Pending',
    status: { containerStatuses: [{ name: 'agentgateway', ...waiting }] },
  }),
  ...gateway('starting'),
  ...pod('starting', 'starting-1', { created: '08:00', isReady: false }),
  ...gateway('failed', {
    conditions: [
      { type: 'Programmed', status: 'False', reason: 'DeploymentFailed', message: 'the quota is used up' },
    ],
  }),
  ...gateway('pending', {
    conditions: [
      { type: 'Accepted', status: 'Unknown', reason: 'Pending', message: 'Waiting for controller' },
    ],
  }),
  ...gateway('away', {}, 'elsewhere'),
  ...gateway('a.long-name.with-dots-and-more-characters-than-a-label-may-have-xxx'),
  ...pod('a-long-name-with-dots-and-more-characters-than-a-l-d84b15817139', 'long-1', { created: '08:00' }),
}

test('agctl chooses a pod', { concurrency: 2 }, async (t) => {
  await using admin = await startStandInAdmin((_req, res) => res.end('{"binds":[]}'))
  const names = ['web-old', 'web-new', 'web-unready', 'one-ready', 'starting-1', 'long-1']
  const ports = Object.fromEntries(names.map((name) => [`${name}:15000`, admin.port]))
  await using api = await startKubernetesApi({ objects, ports })
  const run = async (...args: readonly string[]) => {
    const { code, stderr } = await runAgctlProgram(['proxy', 'config', 'all', '-k', api.kubeconfig, ...args])
    return [code, stderr]
  }

  await t.test('of several, the newest that is ready, and says so', async () => {
    assert.deepEqual(await run('gateway/web'), [
      0,
      'pod web-new.apps, the newest of 2 that are ready; --pod chooses another\n',
    ])
  })

  await t.test('the only one that is ready', async () => {
    assert.deepEqual(await run('gateway/one'), [
      0,
      'pod one-ready.apps, the only one that is ready of 2; --pod chooses another\n',
    ])
  })

  await t.test('one that runs if none is ready', async () => {
    assert.deepEqual(await run('gateway/starting'), [0, 'pod starting-1.apps is not ready\n'])
  })

  await t.test('that the option names, with a resource and without', async () => {
    assert.deepEqual(await run('gateway/web', '--pod', 'web-old'), [0, ''])
    assert.deepEqual(await run('--pod', 'web-old'), [0, ''])
    assert.deepEqual(await run('gateway/one', '--pod', 'web-old'), [
      1,
      'Error: there is no pod "web-old" of gateway/one\nThere are one-ready, one-pending.\n',
    ])
  })

  await t.test('and says why it does not run', async () => {
    const [code, stderr] = await run('pod/one-pending')
    assert.equal(code, 1)
    assert.match(
      String(stderr),
      /Error: .*: pod is not running\. Status=Pending\ncontainer agentgateway: ImagePullBackOff: no such image\n$/,
    )
  })

  await t.test('of a Gateway whose name is no label', async () => {
    const name = 'a.long-name.with-dots-and-more-characters-than-a-label-may-have-xxx'
    // The last dot of an argument begins the namespace.
    assert.deepEqual(await run(`gateway/${name}.apps`), [0, ''])
  })

  const failures: readonly (readonly [string, string])[] = [
    [
      'gateway/away',
      'failed retrieving gateway/away in namespace "apps": gateways "away" not found\nIt is in another namespace: -n elsewhere.',
    ],
    [
      'gateway/failed',
      'no pods found for resource "gateway/failed"\nThe Gateway is not in order: Programmed=False DeploymentFailed: the quota is used up',
    ],
    [
      'gateway/pending',
      'no pods found for resource "gateway/pending"\nNo controller has looked at it: does that of its class "agentgateway" run?',
    ],
  ]
  for (const [resource, message] of failures)
    await t.test(`or says why there is none of ${resource}`, async () => {
      assert.deepEqual(await run(resource), [1, `Error: ${message}\n`])
    })

  await t.test('only in Kubernetes', async () => {
    assert.deepEqual(await run('--local', '--pod', 'web-old'), [
      2,
      'Error: --pod is for gateways in Kubernetes\n',
    ])
  })
})
