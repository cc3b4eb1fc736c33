import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clusterProblem, startCluster } from '../lab/cluster.ts'
import { eventually } from '../lab/eventually.ts'
import { type AnyObject, openClusterObjects } from './support/cluster-objects.ts'
import { startControllerProcess } from './support/controller-process.ts'
import { installAccount, SYSTEM_NAMESPACE } from './support/role-account.ts'

const namespace = 'default'
const group = 'gateway.networking.k8s.io'
const gateway = (name: string): AnyObject => ({
  apiVersion: `${group}/v1`,
  kind: 'Gateway',
  metadata: { namespace, name },
  spec: {
    gatewayClassName: 'agentgateway',
    listeners: [
      { name: 'http', protocol: 'HTTP', port: 80 },
      { name: 'tls', protocol: 'TLS', port: 443, tls: { mode: 'Passthrough' } },
      { name: 'tcp', protocol: 'TCP', port: 9_000 },
      { name: 'udp', protocol: 'UDP', port: 9_000 },
    ],
  },
})
const service = (name: string): AnyObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { namespace, name },
  spec: { ports: [{ port: 80 }] },
})
/** A route of two Gateways to a Service. */
const route = (name: string, backendRef: object, kind = 'HTTPRoute', version = 'v1'): AnyObject => ({
  apiVersion: `${group}/${version}`,
  kind,
  metadata: { namespace, name },
  spec: {
    parentRefs: [{ name: 'one' }, { name: 'two' }],
    ...(kind === 'TLSRoute' && { hostnames: ['shop.example.com'] }),
    rules: [{ backendRefs: [{ port: 80, ...backendRef }] }],
  },
})
const missing = (name: string) => `Service ${namespace}/${name} was not found`

interface RecordedEvent {
  readonly metadata: { readonly name: string; readonly resourceVersion: string }
  readonly type: string
  readonly reason: string
  readonly message: string
  readonly count: number
  readonly involvedObject: Readonly<Record<string, string>>
}

interface RouteStatus {
  readonly parents?: readonly {
    readonly conditions: readonly {
      readonly type: string
      readonly status: string
      readonly message: string
      readonly observedGeneration: number
    }[]
  }[]
}

test('events of routes whose references lead nowhere', { skip: clusterProblem() }, async (t) => {
  await using cluster = await startCluster()
  const account = await installAccount(cluster)
  await using objects = await openClusterObjects(cluster.kubeconfig)
  const env = { POD_NAMESPACE: SYSTEM_NAMESPACE }
  let controller = await startControllerProcess(account, { env })
  await using stack = new AsyncDisposableStack()
  stack.defer(() => controller.end('SIGKILL'))

  const eventsOf = async (name: string): Promise<readonly RecordedEvent[]> => {
    const { items } = (await objects.read({
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name: '' },
    })) as unknown as { readonly items: readonly RecordedEvent[] }
    return items.filter(({ involvedObject }) => involvedObject.name === name)
  }
  const messagesOf = async (name: string) =>
    (await eventsOf(name)).map(({ reason, message, count }) => `${reason} ${message} ${count}`).sort()
  const told = (name: string, count = 1) =>
    eventually(`${count} events of ${name}`, async () => {
      const events = await eventsOf(name)
      return events.length >= count ? events : undefined
    })
  /** Waits until all parents of a route have the status of what it is now. */
  const evaluated = (wanted: AnyObject, problem = '') =>
    eventually(`${wanted.metadata.name} has the status of ${problem}`, async () => {
      const { metadata, status } = await objects.read(wanted)
      const conditions = ((status ?? {}) as RouteStatus).parents?.flatMap((parent) => parent.conditions)
      const resolved = (conditions ?? []).filter(({ type }) => type === 'ResolvedRefs')
      const isCurrent = ({ message, observedGeneration }: (typeof resolved)[number]) =>
        observedGeneration === metadata.generation && message.includes(problem)
      return (resolved.length === 2 && resolved.every(isCurrent)) || undefined
    })
  /** What the status of a route says of its references, if that is not that they are resolved. */
  const problemsOf = async (name: string) => {
    const { status } = await objects.read(route(name, {}))
    const parents = ((status ?? {}) as RouteStatus).parents ?? []
    return parents.flatMap(({ conditions }) =>
      conditions.filter((one) => one.type === 'ResolvedRefs' && one.status === 'False'),
    )
  }
  let markers = 0
  /** Events are recorded in the order of the changes: whatever came before has its own by now. */
  const settled = async () => {
    const name = `marker-${++markers}`
    await objects.create(route(name, { name: 'gone' }))
    await told(name)
  }

  for (const name of ['one', 'two']) await objects.create(gateway(name))

  await t.test('are recorded once, however many Gateways the route has, for each kind of route', async () => {
    const kinds: readonly (readonly [kind: string, version: string])[] = [
      ['HTTPRoute', 'v1'],
      ['GRPCRoute', 'v1'],
      ['TLSRoute', 'v1'],
      ['TCPRoute', 'v1alpha2'],
      ['UDPRoute', 'v1alpha2'],
    ]
    for (const [kind, version] of kinds) {
      const name = `of-${kind.toLowerCase()}`
      const one = route(name, { name: 'nobody' }, kind, version)
      await objects.create(one)
      const { metadata } = await objects.read(one)
      const [event] = await told(name)
      assert.deepEqual(
        [event?.type, event?.reason, event?.message, event?.count],
        ['Warning', 'BackendNotFound', missing('nobody'), 1],
      )
      const { resourceVersion: _version, ...involved } = event?.involvedObject ?? {}
      assert.deepEqual(involved, { apiVersion: `${group}/v1`, kind, namespace, name, uid: metadata.uid })
    }
    await settled()
    for (const [kind] of kinds) assert.equal((await eventsOf(`of-${kind.toLowerCase()}`)).length, 1)
  })

  await t.test('are recorded again only for what is new', async () => {
    const changing = (name: string) => route('changing', { name })
    await objects.create(changing('first'))
    await told('changing')
    await objects.patch(changing('first'), { metadata: { labels: { team: 'shop' } } })
    await objects.patch(changing('first'), { spec: { hostnames: ['shop.example.com'] } })
    await evaluated(changing('first'), missing('first'))
    await settled()
    assert.deepEqual(await messagesOf('changing'), [`BackendNotFound ${missing('first')} 1`])

    await objects.patch(changing('second'), { spec: changing('second').spec })
    await told('changing', 2)
    const both = ['first', 'second'].map((name) => `BackendNotFound ${missing(name)} 1`)
    assert.deepEqual(await messagesOf('changing'), both)

    // What is right is no news, and what was told minutes ago neither.
    await objects.create(service('second'))
    await eventually(
      'the Service is found',
      async () => (await problemsOf('changing')).length === 0 || undefined,
    )
    await objects.delete(service('second'))
    await evaluated(changing('second'), missing('second'))
    await settled()
    assert.deepEqual(await messagesOf('changing'), both)
  })

  await t.test('are recorded of references that no grant permits', async () => {
    await objects.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'other' } })
    await objects.create(route('stranger', { namespace: 'other', name: 'upstream' }))
    const [event] = await told('stranger')
    assert.equal(event?.reason, 'RefNotPermitted')
  })

  await t.test('are not recorded again by a control plane that starts', async () => {
    const recorded = async () =>
      (await Promise.all(['of-httproute', 'changing', 'stranger'].map(eventsOf)))
        .flat()
        .map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`)
    const before = await recorded()
    await controller.end('SIGTERM')
    controller = await startControllerProcess(account, { env })
    await settled()
    assert.deepEqual(await recorded(), before)
  })

  await t.test('are limited for a route that changes all the time, and not for others', async () => {
    const beginsAt = performance.now()
    const restless = (number: number) => route('restless', { name: `gone-${number}` })
    await objects.create(restless(0))
    for (let number = 1; number <= CHANGES; number++) {
      await objects.patch(restless(number), { spec: restless(number).spec })
      await evaluated(restless(number), missing(`gone-${number}`))
    }
    await settled()
    const count = (await eventsOf('restless')).length
    const refilled = Math.floor((performance.now() - beginsAt) / 60_000)
    assert.ok(count >= BURST && count <= BURST + refilled, `${count} events`)
  })
})

/** Of an object, before it gets one a minute. */
const BURST = 10
const CHANGES = 15
