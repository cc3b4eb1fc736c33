import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { concat, firstValueFrom, NEVER, of } from 'rxjs'
import { ApiClient } from '../../../src/controller/api/api-client.ts'
import { loadClusterAccess } from '../../../src/controller/api/cluster-access.ts'
import { type StatusUpdate, writeStatuses } from '../../../src/controller/sinks/status/write-statuses.ts'
import { newAuthorityData } from '../../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { openRawClient } from '../../support/xds/raw-xds-client.ts'
import { applyObjects, parseManifest } from '../lab/apply-manifest.ts'
import { readAuditLog } from '../lab/audit.ts'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { waitUntilEstablished } from '../lab/gateway-api.ts'
import { permissionsOf, roleUse } from '../lab/permissions.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { grantedRules, installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

const namespace = 'default'
const object = (apiVersion: string, kind: string, name: string, rest: object): AnyObject => ({
  apiVersion,
  kind,
  metadata: { namespace, name },
  ...rest,
})
const api = 'gateway.networking.k8s.io/v1'
const gateway = object(api, 'Gateway', 'web', {
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }],
  },
})
const deployment = object('apps/v1', 'Deployment', 'web', {})

const selector = { matchLabels: { app: 'old' } }
const template = {
  metadata: { labels: selector.matchLabels },
  spec: { containers: [{ name: 'old', image: 'registry.example.com/old:v1' }] },
}
const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'old' }
/** What a Gateway of another time may have left behind. */
const superfluous: readonly AnyObject[] = [
  object('apps/v1', 'Deployment', 'old', { spec: { replicas: 0, selector, template } }),
  object('apps/v1', 'DaemonSet', 'old', { spec: { selector, template } }),
  object('policy/v1', 'PodDisruptionBudget', 'old', { spec: { selector, maxUnavailable: 1 } }),
  object('autoscaling/v2', 'HorizontalPodAutoscaler', 'old', { spec: { scaleTargetRef, maxReplicas: 2 } }),
]

const brokenPolicy = object('agentgateway.dev/v1alpha1', 'ProxyPolicy', 'broken', {
  spec: {
    targetRefs: [{ group: '', kind: 'Service', name: 'gone' }],
    backend: { http: { requestTimeout: '5s' } },
  },
})

const backend = object('agentgateway.dev/v1alpha1', 'ProxyBackend', 'outside', {
  spec: { static: { host: 'outside.example.com', port: 80 } },
})

interface RecordedEvent {
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly involvedObject: { readonly kind: string; readonly name: string }
}

const parentRef = { name: 'web' }
const accepted = { type: 'Accepted', status: 'True', reason: 'Accepted', message: '' } as const
const update: StatusUpdate = {
  kind: 'GRPCRoute',
  key: `${namespace}/calls`,
  status: { parents: [{ parentRef, conditions: [accepted] }] },
}

const ofSuite = 'statuses of this kind are written in the conformance suite'
const ofConflict = 'read when a status was written by somebody else at the same time, as shown for GRPCRoutes'
const ofParameters = 'deployed where ProxyParameters say so: test/kubernetes/proxy-parameters.test.ts'

/** Permissions that nothing here needs, and what does. Those of no list are superfluous. */
const neededElsewhere: Readonly<Record<string, string>> = {
  'get httproutes.gateway.networking.k8s.io': ofConflict,
  'get tlsroutes.gateway.networking.k8s.io': ofConflict,
  'get tcproutes.gateway.networking.k8s.io': ofConflict,
  'get udproutes.gateway.networking.k8s.io': ofConflict,
  'get backendtlspolicies.gateway.networking.k8s.io': ofConflict,
  'get proxypolicies.agentgateway.dev': ofConflict,
  'get secrets':
    'session keys that another replica has created meanwhile: test/kubernetes/controller/session-key.test.ts',
  'get proxybackends.agentgateway.dev': ofConflict,
  'patch listenersets/status.gateway.networking.k8s.io': ofSuite,
  'patch httproutes/status.gateway.networking.k8s.io': ofSuite,
  'patch tlsroutes/status.gateway.networking.k8s.io': ofSuite,
  'patch tcproutes/status.gateway.networking.k8s.io': ofSuite,
  'patch udproutes/status.gateway.networking.k8s.io': ofSuite,
  'patch backendtlspolicies/status.gateway.networking.k8s.io': ofSuite,
  'create tokenreviews.authentication.k8s.io': 'proxies prove who they are: test/kubernetes/traffic.test.ts',
  'get daemonsets.apps': ofParameters,
  'create daemonsets.apps': ofParameters,
  'patch daemonsets.apps': ofParameters,
  'get poddisruptionbudgets.policy': ofParameters,
  'create poddisruptionbudgets.policy': ofParameters,
  'patch poddisruptionbudgets.policy': ofParameters,
  'get horizontalpodautoscalers.autoscaling': ofParameters,
  'create horizontalpodautoscalers.autoscaling': ofParameters,
  'patch horizontalpodautoscalers.autoscaling': ofParameters,
  'update gateways/finalizers.gateway.networking.k8s.io':
    'no request: the API server looks at it when the owner of an object is set, as here',
  'delete configmaps':
    'key sets that nothing refers to: test/kubernetes/controller/key-sets-of-replicas.test.ts',
}

// On an API server that lets nobody block the end of an object that they could not end themselves, as some clusters do:
// setting the owner of an object needs `update gateways/finalizers` there.
const flags = ['--enable-admission-plugins=OwnerReferencesPermissionEnforcement']

test('the role of the control plane', { skip: clusterProblem() }, async (t) => {
  await using stack = new AsyncDisposableStack()
  const logs = stack.adopt(mkdtempSync(join(tmpdir(), 'audit-')), (path) => rmSync(path, { recursive: true }))
  const cluster = stack.use(await startCluster({ logs, flags }))
  const definitions = parseManifest(readFileSync('deploy/kubernetes/agentgateway-crds.yaml', 'utf8'))
  await applyObjects(cluster.kubeconfig, definitions)
  await waitUntilEstablished(cluster.kubeconfig, definitions)
  const kubeconfig = await installAccount(cluster)
  const objects = stack.use(await openClusterObjects(cluster.kubeconfig))
  const authority: AnyObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: SYSTEM_NAMESPACE, name: 'agentgateway-xds-cert' },
    stringData: newAuthorityData(new Date(Date.now() - 9.5 * YEAR_MS)),
  }
  await objects.create(authority)
  const env = { POD_NAMESPACE: SYSTEM_NAMESPACE, AGW_XDS_MODE: 'either' }
  const [first, second] = [
    stack.use(await startControllerProcess(kubeconfig, { env })),
    stack.use(await startControllerProcess(kubeconfig, { env })),
  ]
  const absent = (wanted: AnyObject) =>
    objects.read(wanted).then(
      () => undefined,
      () => true,
    )

  await t.test('suffices to replace the authority of xDS', async () => {
    await eventually('a new authority is published', async () => {
      const { data } = await objects.read(authority)
      return 'next.crt' in (data as object) || undefined
    })
  })

  await t.test(
    'suffices to deploy proxies that their Gateway owns, wherever owners are checked',
    async () => {
      await objects.create(gateway)
      await eventually('proxies are deployed', async () => !(await absent(deployment)) || undefined)
    },
  )

  await t.test('suffices to delete what a Gateway no longer needs', async () => {
    const { uid = '' } = (await objects.read(gateway)).metadata
    const owner = { apiVersion: api, kind: 'Gateway', name: 'web', uid, controller: true }
    const labels = { 'gateway.networking.k8s.io/gateway-name': 'web' }
    for (const one of superfluous)
      await objects.create({ ...one, metadata: { ...one.metadata, labels, ownerReferences: [owner] } })
    await objects.patch(gateway, { spec: { infrastructure: { labels: { team: 'shop' } } } })
    for (const one of superfluous) await eventually(`${one.kind} is gone`, () => absent(one))
  })

  await t.test('suffices to record what proxies of several replicas reject', async () => {
    const events = object('v1', 'Event', '', {})
    for (const { ports } of [first, second]) {
      using proxy = openRawClient(ports.xds, { role: `${namespace}~web` })
      proxy.send()
      const { nonce } = await proxy.next()
      proxy.send({ responseNonce: nonce, errorDetail: { code: 3, message: 'a listener is refused' } })
      await eventually('the event is recorded', () => {
        const ofEvents = readAuditLog(logs).filter(({ objectRef }) => objectRef?.resource === 'events')
        const done = ofEvents.filter(({ responseStatus }) => (responseStatus?.code ?? 500) < 300)
        return done.length >= (ports === first.ports ? 1 : 2) || undefined
      })
    }
    const { items } = (await objects.read(events)) as unknown as {
      readonly items: readonly { reason: string }[]
    }
    assert.deepEqual(
      items.map(({ reason }) => reason),
      ['AgentGatewayNackError'],
    )
  })

  await t.test('suffices to record what is wrong with a policy, once', async () => {
    await objects.create(brokenPolicy)
    const events = object('v1', 'Event', '', {})
    const recorded = await eventually('the events are recorded', async () => {
      const { items } = (await objects.read(events)) as unknown as {
        readonly items: readonly RecordedEvent[]
      }
      const ofPolicy = items.filter(({ involvedObject }) => involvedObject.kind === 'ProxyPolicy')
      return ofPolicy.length >= 1 ? ofPolicy : undefined
    })
    assert.deepEqual(
      recorded.map(({ type, reason, message, involvedObject: { name }, count }) => [
        type,
        reason,
        message,
        name,
        count,
      ]),
      [['Warning', 'Pending', 'Policy is not attached: Service default/gone not found', 'broken', 1]],
    )
  })

  await t.test('suffices to say of a ProxyBackend whether it is accepted', async () => {
    await objects.create(backend)
    await eventually('the backend has a status', async () => {
      const { status } = await objects.read(backend)
      return (status as { readonly conditions?: unknown } | undefined)?.conditions
    })
  })

  await t.test(
    'suffices to look again at objects that were replaced before their status was written',
    async () => {
      const access = await loadClusterAccess(kubeconfig)
      const client = stack.adopt(new ApiClient(access), (of) => of.close())
      const route = object(api, 'GRPCRoute', 'calls', { spec: { parentRefs: [parentRef] } })
      await objects.create(route)
      const { metadata, ...rest } = await objects.read(route)
      // The version is of before, too: statuses are written without a look at the uid.
      await objects.patch(route, { metadata: { labels: { changed: 'since' } } })
      const outcome$ = concat(of(update), NEVER).pipe(
        writeStatuses({
          client,
          controllerName: 'agentgateway.dev/agentgateway',
          isLeader$: of(true),
          log: silentLog,
          current: () => ({ ...rest, metadata: { ...metadata, uid: randomUUID() } }),
        }),
      )
      assert.equal((await firstValueFrom(outcome$)).result, 'gone')
    },
  )

  await t.test('is used for all of that, and refused nothing', () => {
    const { refused, unused } = roleUse(grantedRules, readAuditLog(logs))
    assert.deepEqual(refused, [])
    assert.deepEqual(
      unused.filter((permission) => !Object.hasOwn(neededElsewhere, permission)),
      [],
    )
    const granted = permissionsOf(grantedRules)
    assert.deepEqual(
      Object.keys(neededElsewhere).filter((permission) => !granted.has(permission)),
      [],
    )
  })
})

const YEAR_MS = 365 * 24 * 3_600_000
