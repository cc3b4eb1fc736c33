import assert from 'node:assert/strict'
import { mkdtempDisposableSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { ClusterAccess } from '../../src/controller/api/cluster-access.ts'
import { startController } from '../../src/controller/controller.ts'
import { readSettings } from '../../src/controller/settings/read-settings.ts'
import { anyPorts, type Daemon, startDaemon } from '../support/daemon.ts'
import { freePort } from '../support/free-port.ts'
import { sendRequest } from '../support/send-request.ts'
import { xdsToken } from '../support/xds/xds-token.ts'
import { list } from './support/long-lists.ts'
import { configOf } from './support/scripted-api.ts'
import { type StandInApi, startStandInApi } from './support/stand-in-api.ts'
import type { StoredObject } from './support/stored-objects.ts'

/*
 * What is beyond a limit, as requests find it: objects go from an API server through a control plane to a gateway in its
 * own process, by xDS.
 */

const group = 'gateway.networking.k8s.io'
const namespace = 'shop'
const routes = `${group}/httproutes`
const policies = 'agentgateway.dev/proxypolicies'

const LISTENERS = 101

const gateway = (port: number) => ({
  gatewayClassName: 'agentgateway',
  listeners: list(LISTENERS, (index) => ({
    name: `l${index}`,
    port,
    protocol: 'HTTP',
    hostname: `host-${index}.test`,
  })),
})

const rule = (path: string, more: object = {}) => ({
  matches: [{ path: { type: 'PathPrefix', value: path } }],
  ...more,
})

/** A route at the first listener. */
const atFirst = (path: string, more?: object) => ({
  parentRefs: [{ name: 'web', sectionName: 'l0' }],
  rules: [rule(path, more)],
})

/** A policy of a route. */
const ofRoute = (name: string, traffic: object) => ({
  targetRefs: [{ group, kind: 'HTTPRoute', name }],
  traffic,
})

const ofTeam = (traffic: object) => ({
  targetSelectors: [{ group, kind: 'HTTPRoute', matchLabels: { team: 'a' } }],
  traffic,
})

const reply = (body: string) => ({ directResponse: { status: 200, body } })

/** A Service with so many endpoints, each with a thousand ports. */
const setService = (api: StandInApi, name: string, endpoints: number): void => {
  const ports = list(1_000, (index) => ({ name: `p${index}`, port: index + 1, protocol: 'TCP' }))
  setObject(api, '/services', 'v1', name, { spec: { clusterIP: '10.96.0.1', ports } })
  setObject(api, 'discovery.k8s.io/endpointslices', 'discovery.k8s.io/v1', name, {
    metadata: { labels: { 'kubernetes.io/service-name': name } },
    addressType: 'IPv4',
    ports,
    endpoints: list(endpoints, (index) => ({
      addresses: [`192.0.2.${index + 1}`],
      conditions: { ready: true },
    })),
  })
}

const setRoute = (api: StandInApi, name: string, spec: object, metadata: object = {}): void =>
  setObject(api, routes, `${group}/v1`, name, { metadata, spec })

/** Policies are as old as their order says. */
const setPolicy = (api: StandInApi, name: string, day: number, spec: object): void =>
  setObject(api, policies, 'agentgateway.dev/v1alpha1', name, {
    metadata: { creationTimestamp: `2026-01-0${day}T00:00:00Z` },
    spec,
  })

const setObject = (
  { objects }: StandInApi,
  collection: string,
  apiVersion: string,
  name: string,
  { metadata = {}, ...more }: Readonly<Record<string, unknown>>,
): void => {
  objects.set(collection, `${namespace}/${name}`, {
    apiVersion,
    kind: KINDS[collection],
    metadata: { namespace, name, ...(metadata as object) },
    ...more,
  } as unknown as StoredObject)
}

const KINDS: Readonly<Record<string, string>> = {
  '/services': 'Service',
  'discovery.k8s.io/endpointslices': 'EndpointSlice',
  [`${group}/gateways`]: 'Gateway',
  [routes]: 'HTTPRoute',
  [policies]: 'ProxyPolicy',
}

const setObjects = (api: StandInApi, port: number): void => {
  api.objects.set('/namespaces', namespace, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: {} },
  })
  setObject(api, `${group}/gateways`, `${group}/v1`, 'web', { spec: gateway(port) })
  setRoute(api, 'open', atFirst('/open'))
  setPolicy(api, 'open', 1, ofRoute('open', reply('open')))
  // A Service of 101,000 endpoints times ports.
  setService(api, 'large', 101)
  setRoute(api, 'large', atFirst('/large', { backendRefs: [{ name: 'large', port: 1 }] }))
  // A rule that no policy replies for, at a Service without endpoints.
  setService(api, 'empty', 0)
  setRoute(api, 'empty', atFirst('/empty', { backendRefs: [{ name: 'empty', port: 1 }] }))
  // 101,000 rules times listeners, which are more than there may be.
  setRoute(api, 'crowd', {
    parentRefs: [{ name: 'web' }],
    rules: list(1_000, (index) => rule(`/crowd/${index}`)),
  })
  setPolicy(api, 'crowd', 1, ofRoute('crowd', reply('crowd')))
  // A policy of 1,001 fields of 100 routes, and a younger one about access.
  setRoute(api, 'guarded', atFirst('/guarded'), { labels: { team: 'a' } })
  for (let index = 1; index < 100; index++)
    setRoute(api, `other-${index}`, { rules: [rule('/')] }, { labels: { team: 'a' } })
  setPolicy(api, 'guarded', 1, ofRoute('guarded', reply('guarded')))
  setPolicy(api, 'long', 2, ofTeam({ csrf: { additionalOrigins: ['x'.repeat(1_000 * 1_024)] } }))
  setPolicy(
    api,
    'access',
    3,
    ofTeam({ authorization: { action: 'Allow', policy: { matchExpressions: ['true'] } } }),
  )
}

const startGateway = async (stack: AsyncDisposableStack, xdsPort: number): Promise<Daemon> => {
  const folder = stack.use(mkdtempDisposableSync(join(tmpdir(), 'limits-')))
  const token = join(folder.path, 'token')
  writeFileSync(token, xdsToken(`${namespace}/web`))
  return stack.use(
    await startDaemon(anyPorts, {
      env: {
        XDS_ADDRESS: `http://127.0.0.1:${xdsPort}`,
        XDS_AUTH_TOKEN: token,
        NAMESPACE: namespace,
        GATEWAY: 'web',
      },
    }),
  )
}

/** The status and the reason of a condition of an object. */
const conditionOf = ({ status }: StoredObject, name: string): string | undefined => {
  const { parents, ancestors } = (status ?? {}) as Status
  const found = (parents ?? ancestors)?.[0]?.conditions.find(({ type }) => type === name)
  return found && `${found.status} ${found.reason}`
}

interface Status {
  readonly parents?: readonly Entry[]
  readonly ancestors?: readonly Entry[]
}

interface Entry {
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[]
}

test('requests to what is beyond a limit', async (t) => {
  await using stack = new AsyncDisposableStack()
  const api = stack.use(await startStandInApi())
  const [port, xdsPort] = [await freePort(), await freePort()]
  setObjects(api, port)
  const settings = readSettings(
    {
      AGW_AGENTGATEWAY_XDS_SERVICE_PORT: String(xdsPort),
      AGW_HEALTH_PORT: '0',
      AGW_METRICS_PORT: '0',
      AGW_ADMIN_PORT: '0',
      AGW_LOG_LEVEL: 'error',
      POD_NAME: 'replica',
      POD_NAMESPACE: 'agentgateway-system',
    },
    '1.2.3',
  )
  const controller = await startController(settings, new ClusterAccess(configOf(api.origin)))
  stack.defer(() => controller.close())
  const has = (collection: string, name: string, condition: string, value: string) =>
    api.until(collection, `${namespace}/${name}`, (object) => conditionOf(object, condition) === value)
  const daemon = await startGateway(stack, xdsPort)
  await daemon.printed(new RegExp(`listens on \\S+:${port}`))
  const get = async (path: string, host = 'host-0.test'): Promise<string> => {
    const { status, text } = await sendRequest(`http://127.0.0.1:${port}`, path, { headers: { host } })
    return status === 200 ? text : String(status)
  }

  await t.test('routes and policies within the limits are served', async () => {
    assert.equal(await get('/open'), 'open')
    assert.equal(await get('/empty'), '503')
  })

  await t.test('a Service with too many endpoints and ports replies 500', async () => {
    await has(routes, 'large', 'ResolvedRefs', 'False UnsupportedValue')
    assert.equal(await get('/large'), '500')
  })

  await t.test('a route with too many rules at listeners is not served', async () => {
    await has(routes, 'crowd', 'Accepted', 'False TooManyRules')
    assert.equal(await get('/crowd/1'), '404')
    assert.equal(await get('/crowd/1', 'host-100.test'), '404')
  })

  await t.test('a target refuses in place of a policy about access', async () => {
    await has(policies, 'long', 'Accepted', 'False TooManyTargets')
    await has(policies, 'access', 'Accepted', 'False TooManyTargets')
    assert.equal(await get('/guarded'), '403')
  })

  await t.test('Events name the limits', async () => {
    const reported = () =>
      api.objects
        .list('/events')
        .flatMap(({ reason, message }) => (String(message).includes('more than 100000') ? [reason] : []))
    while (reported().length < 4) await api.objects.changed
    assert.deepEqual(reported().toSorted(), [
      'TooManyRules',
      'TooManyTargets',
      'TooManyTargets',
      'UnsupportedValue',
    ])
  })

  await t.test('what is within the limits again is served', async () => {
    setPolicy(api, 'long', 2, ofTeam({ csrf: { additionalOrigins: ['http://a.test'] } }))
    setRoute(api, 'crowd', { parentRefs: [{ name: 'web' }], rules: [rule('/crowd')] })
    setService(api, 'large', 0)
    const outcomes = async () => [
      await get('/guarded'),
      await get('/crowd', 'host-100.test'),
      await get('/large'),
    ]
    const served = ['guarded', 'crowd', '503']
    while ((await outcomes()).some((one, index) => one !== served[index])) await pause(10)
    await has(policies, 'access', 'Accepted', 'True Valid')
    await has(routes, 'crowd', 'Accepted', 'True Accepted')
    await has(routes, 'large', 'ResolvedRefs', 'True ResolvedRefs')
  })
})
