import assert from 'node:assert/strict'
import { ChannelCredentials } from '@grpc/grpc-js'
import { suite, test } from 'node:test'
import { ClusterAccess } from '../../src/controller/api/cluster-access.ts'
import { type Controller, startController } from '../../src/controller/controller.ts'
import { newAuthorityData } from '../../src/controller/sinks/xds/certificates/xds-certificate.ts'
import { readSettings } from '../../src/controller/settings/read-settings.ts'
import { deploymentName } from '../../src/controller/translate/deployment/names.ts'
import { freePort } from '../support/free-port.ts'
import { namesIn, openRawClient } from '../support/xds/raw-xds-client.ts'
import { xdsToken } from '../support/xds/xds-token.ts'
import { configOf } from './support/scripted-api.ts'
import { type StandInApi, startStandInApi } from './support/stand-in-api.ts'
import type { StoredObject } from './support/stored-objects.ts'

const group = 'gateway.networking.k8s.io'
const gateways = `${group}/gateways`
const routes = `${group}/httproutes`
const namespace = 'infra'

const gateway: StoredObject = {
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { namespace, name: 'web', uid: 'gateway-uid', generation: 1 },
  spec: { gatewayClassName: 'agentgateway', listeners: [{ name: 'http', port: 80, protocol: 'HTTP' }] },
}
const route = (name: string): StoredObject => ({
  apiVersion: `${group}/v1`,
  kind: 'HTTPRoute',
  metadata: { namespace, name, generation: 1 },
  spec: {
    parentRefs: [{ name: 'web' }],
    hostnames: [`${name}.example.com`],
    rules: [{ matches: [{ path: { type: 'PathPrefix', value: '/' } }] }],
  },
})

/** A control plane and its cluster: a namespace with a Gateway and a route. */
interface Running extends AsyncDisposable {
  readonly api: StandInApi
  readonly controller: Controller
  readonly xdsPort: number
  readonly healthPort: number
}

const startRunning = async (
  more: Readonly<Record<string, string>> = {},
  prepare: (api: StandInApi) => void = () => undefined,
): Promise<Running> => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await startStandInApi())
  prepare(api)
  api.objects.set('/namespaces', namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: {} },
  })
  api.objects.set(gateways, `${namespace}/web`, gateway)
  api.objects.set(routes, `${namespace}/first`, route('first'))
  const [xdsPort, healthPort] = [await freePort(), await freePort()]
  const settings = readSettings(
    {
      AGW_AGENTGATEWAY_XDS_SERVICE_PORT: String(xdsPort),
      AGW_HEALTH_PORT: String(healthPort),
      AGW_METRICS_PORT: '0',
      AGW_ADMIN_PORT: '0',
      AGW_LOG_LEVEL: 'error',
      POD_NAME: 'replica',
      POD_NAMESPACE: 'agentgateway-system',
      ...more,
    },
    '1.2.3',
  )
  const controller = await startController(settings, new ClusterAccess(configOf(api.origin)))
  stack.defer(() => controller.close())
  const owned = stack.move()
  return { api, controller, xdsPort, healthPort, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const readinessOf = async ({ healthPort }: Running): Promise<string> => {
  const response = await fetch(`http://127.0.0.1:${healthPort}/readyz`)
  return `${response.status} ${await response.text()}`
}

const conditionsOf = (conditions: unknown): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ((conditions ?? []) as readonly { readonly type: string; readonly status: string }[]).map(
      ({ type, status }) => [type, status],
    ),
  )
const gatewayConditions = ({ status }: StoredObject) =>
  conditionsOf((status as { readonly conditions?: unknown } | undefined)?.conditions)

/** Proxies are served from the first translation on, which writes statuses as well. */
const isServed = (api: StandInApi) =>
  api.until(gateways, `${namespace}/web`, (object) => gatewayConditions(object).Accepted === 'True')

suite('a control plane', () => {
  test('creates its class, and creates it again', async () => {
    await using running = await startRunning()
    const { api } = running
    const ours = (object: StoredObject) =>
      (object.spec as { controllerName?: string }).controllerName === 'agentgateway.dev/agentgateway'
    await api.until(`${group}/gatewayclasses`, 'agentgateway', ours)
    api.objects.delete(`${group}/gatewayclasses`, 'agentgateway')
    await api.until(`${group}/gatewayclasses`, 'agentgateway', ours)
  })

  test('deploys a Gateway: the session key first, the proxies when it is there', async () => {
    await using running = await startRunning()
    const { api } = running
    const deployment = await api.until('apps/deployments', `${namespace}/web`)
    assert.deepEqual(
      deployment.metadata.ownerReferences?.map(({ uid }) => uid),
      ['gateway-uid'],
    )
    const secret = api.objects.get('/secrets', `${namespace}/web-session-key`)
    const { key } = secret?.data as { readonly key: string }
    assert.match(Buffer.from(key, 'base64').toString(), /^[0-9a-f]{64}$/)
    const written = api.writes.filter((write) => write.endsWith(`${namespace}/web-session-key`))
    assert.deepEqual(written[0], `POST /secrets ${namespace}/web-session-key`)
    assert.ok(api.writes.indexOf(written[0]) < api.writes.indexOf(`PATCH apps/deployments ${namespace}/web`))
  })

  test('writes the statuses of Gateways and routes', async () => {
    await using running = await startRunning()
    const { api } = running
    await isServed(api)
    const { status } = await api.until(routes, `${namespace}/first`, (object) => object.status !== undefined)
    const { parents = [] } = status as { readonly parents?: readonly { readonly conditions: unknown }[] }
    assert.equal(conditionsOf(parents[0]?.conditions).Accepted, 'True')
  })

  test('sends proxies of a Gateway what it has, and what changes', async () => {
    await using running = await startRunning()
    const { api, xdsPort } = running
    await isServed(api)
    using client = openRawClient(xdsPort, { role: `${namespace}~web`, token: xdsToken(`${namespace}/web`) })
    client.send()
    const first = await client.next()
    assert.deepEqual(
      namesIn(first)
        .filter((name) => /^(bind|listener|route)\//.test(name))
        .sort(),
      ['bind/bind/80', `listener/${namespace}/web/http`, `route/HTTPRoute/${namespace}/first/00`],
    )
    client.accept(first)
    api.objects.set(routes, `${namespace}/second`, route('second'))
    const second = await client.next()
    assert.deepEqual(namesIn(second), [`route/HTTPRoute/${namespace}/second/00`])
    client.accept(second)
    api.objects.delete(gateways, `${namespace}/web`)
    const third = await client.next()
    assert.ok(namesIn(third).includes('-bind/bind/80'))
    assert.ok(namesIn(third).every((name) => name.startsWith('-')))
  })

  test('keeps nothing of Gateways that come and go', async () => {
    await using running = await startRunning()
    const { api } = running
    await isServed(api)
    for (let round = 0; round < 100; round++) {
      const name = `churn-${round % 5}`
      const uid = `uid-${round}`
      api.objects.set(gateways, `${namespace}/${name}`, {
        ...gateway,
        metadata: { ...gateway.metadata, name, uid },
      })
      // Some are seen, some are gone before.
      if (round % 3 === 0) await api.until('/secrets', `${namespace}/${name}-session-key`)
      api.objects.delete(gateways, `${namespace}/${name}`)
    }
    const deployed = async (name: string) => {
      api.objects.set(gateways, `${namespace}/${name}`, {
        ...gateway,
        metadata: { ...gateway.metadata, name, uid: name },
      })
      await api.until('apps/deployments', `${namespace}/${name}`)
    }
    await deployed('marker')
    const before = api.writes.length
    // Nothing was left to be done for the others.
    await deployed('second-marker')
    assert.deepEqual(
      api.writes.slice(before).filter((write) => write.includes('churn')),
      [],
    )
  })

  test('serves no proxy of another account', async () => {
    await using running = await startRunning()
    await isServed(running.api)
    using client = openRawClient(running.xdsPort, {
      role: `${namespace}~web`,
      token: xdsToken(`${namespace}/default`),
    })
    client.send()
    assert.match(await client.ended, /^7 /)
  })

  test('records what proxies refuse at their Gateway, whose name may be longer than that of its objects', async () => {
    const long = `web-${'x'.repeat(70)}`
    await using running = await startRunning({}, ({ objects }) => {
      objects.set(gateways, `${namespace}/${long}`, {
        ...gateway,
        metadata: { ...gateway.metadata, name: long, uid: 'long-uid' },
      })
    })
    const { api } = running
    const role = deploymentName(long)
    await isServed(api)
    await api.until('apps/deployments', `${namespace}/${role}`)
    using client = openRawClient(running.xdsPort, {
      role: `${namespace}~${role}`,
      token: xdsToken(`${namespace}/${role}`),
    })
    client.send()
    const { nonce } = await client.next()
    client.send({ responseNonce: nonce, errorDetail: { code: 3, message: 'no such thing' } })
    let events = api.objects.list('/events')
    for (; events.length === 0; events = api.objects.list('/events')) await api.objects.changed
    assert.deepEqual(
      events.map(({ involvedObject, message }) => [(involvedObject as { name: string }).name, message]),
      [[long, 'no such thing']],
    )
  })

  test('is ready when every kind is listed, optional ones as well, and xDS has its certificate', async () => {
    let listed: () => void = () => undefined
    let created: () => void = () => undefined
    await using running = await startRunning({ AGW_XDS_MODE: 'tls' }, (api) => {
      listed = api.hold(`${group}/backendtlspolicies`)
      created = api.hold('/secrets')
    })
    const readiness = () => readinessOf(running)
    assert.match(await readiness(), /^500 not synced: .*BackendTLSPolicy.*, xDS\n$/)
    using early = openRawClient(running.xdsPort)
    assert.match(await early.ended, /^14 /)
    created()
    while (!/^500 not synced: BackendTLSPolicy, xDS\n$/.test(await readiness()));
    listed()
    while ((await readiness()) !== '200 ok\n');
    // The leader makes the class of the Gateway.
    await isServed(running.api)
    const { data } = await running.api.until('/secrets', 'agentgateway-system/agentgateway-xds-cert')
    const { 'ca.crt': ca = '' } = data as Readonly<Record<string, string>>
    using proxy = openRawClient(running.xdsPort, {
      role: `${namespace}~web`,
      token: xdsToken(`${namespace}/web`),
      credentials: ChannelCredentials.createSsl(Buffer.from(ca, 'base64')),
      serverName: 'agentgateway.agentgateway-system',
    })
    proxy.send()
    assert.ok(namesIn(await proxy.next()).includes('bind/bind/80'))
  })

  test('replaces its authority before it ends, and tells proxies of the next one first', async () => {
    const made = newAuthorityData(new Date(Date.now() - 9.5 * 365 * 24 * 3_600_000))
    const encoded = (text: string) => Buffer.from(text).toString('base64')
    const data = { 'ca.crt': encoded(made['ca.crt']), 'ca.key': encoded(made['ca.key']) }
    const secret = ['/secrets', 'agentgateway-system/agentgateway-xds-cert'] as const
    await using running = await startRunning({ AGW_XDS_MODE: 'tls' }, ({ objects }) => {
      const metadata = { namespace: 'agentgateway-system', name: 'agentgateway-xds-cert' }
      objects.set(...secret, { apiVersion: 'v1', kind: 'Secret', metadata, data })
    })
    const { api } = running
    const rotated = await api.until(...secret, (object) => 'next.crt' in (object.data as object))
    const { 'next.crt': next, 'next.key': _, ...rest } = rotated.data as Readonly<Record<string, string>>
    assert.deepEqual(rest, data)
    const bundle = Buffer.from(next ?? '', 'base64').toString()
    await api.until('/configmaps', `${namespace}/web-xds-ca`, (object) =>
      JSON.stringify(object.data).includes(JSON.stringify(bundle.trim()).slice(1, -1)),
    )
  })

  test('is not ready while it ends, and serves until then', async () => {
    await using running = await startRunning()
    const { api, controller } = running
    const lease = ['coordination.k8s.io/leases', 'agentgateway-system/agentgateway-agentgateway'] as const
    await api.until(...lease, ({ spec }) => (spec as LeaseSpec).holderIdentity.startsWith('replica_'))
    await isServed(api)
    while ((await readinessOf(running)) !== '200 ok\n');
    const release = api.hold('coordination.k8s.io/leases')
    const closed = controller.close()
    assert.equal(await readinessOf(running), '500 not synced: ending\n')
    using proxy = openRawClient(running.xdsPort, {
      role: `${namespace}~web`,
      token: xdsToken(`${namespace}/web`),
    })
    proxy.send()
    assert.ok(namesIn(await proxy.next()).includes('bind/bind/80'))
    release()
    await closed
  })

  test('ends without a lease, a watch or a port', async () => {
    await using running = await startRunning()
    const { api, controller, healthPort, xdsPort } = running
    const lease = ['coordination.k8s.io/leases', 'agentgateway-system/agentgateway-agentgateway'] as const
    await api.until(...lease, ({ spec }) => (spec as LeaseSpec).holderIdentity.startsWith('replica_'))
    await api.until('apps/deployments', `${namespace}/web`)
    const health = `http://127.0.0.1:${healthPort}`
    assert.equal((await fetch(`${health}/readyz`)).status, 200)
    await controller.close()
    await controller.ended
    assert.equal((api.objects.get(...lease)?.spec as LeaseSpec).holderIdentity, '')
    await assert.rejects(fetch(`${health}/healthz`))
    using client = openRawClient(xdsPort)
    client.send()
    assert.match(await client.ended, /^14 /)
    while (api.watches > 0) await new Promise(setImmediate)
  })
})

interface LeaseSpec {
  readonly holderIdentity: string
}
