import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OfflineRegistry } from '../../../src/cli/offline/offline-registry.ts'
import { recordingUpstream, type RecordedCall } from '../../../src/cli/offline/recording-upstream.ts'
import { ConfigurationCompiler } from '../../../src/config/compile.ts'
import { parseConfig } from '../../../src/config/parse.ts'
import type { ConfigFile } from '../../../src/config/schema/file-types.gen.ts'
import { reuseEqual } from '../../../src/config/reuse-equal.ts'
import { runAtOnce } from '../../../src/model/event-loop/time-slicing.ts'
import type { Resources } from '../../../src/model/resources/resources.ts'
import type { Snapshot } from '../../../src/model/resources/snapshot.ts'
import { faultReply } from '../../../src/pipeline/fault-reply.ts'
import { ofExchange } from '../../../src/pipeline/of-exchange.ts'
import { exchange } from '../../../src/testing/exchange.ts'
import { healthReport } from '../../../src/upstream/load-balancing/health-report.ts'

/** A configuration, by the choices that a random edit makes. */
interface Choices {
  readonly routes: readonly {
    readonly name: string
    readonly path: string
    readonly host: string | undefined
    readonly backend: string
    readonly header: string | undefined
  }[]
  readonly ports: Readonly<Record<'one' | 'two', number>>
  readonly endpoints: readonly number[]
  readonly groupBackend: string
  readonly policies: readonly { readonly target: string; readonly value: string }[]
  readonly isGatewayListed: boolean
  readonly maxBufferSize: number
}

const paths = ['/', '/a', '/a/b', '/b']
const hosts = ['one.test', 'two.test']
const policyTargets = ['gateway', 'r0', 'r1', 'one', 'two']
const backends = ['/one', '/two', 'host', 'service', 'group']

const route: fc.Arbitrary<Choices['routes'][number]> = fc.record({
  name: fc.constantFrom('r0', 'r1', 'r2', 'r3', 'r4'),
  path: fc.constantFrom(...paths),
  host: fc.constantFrom(undefined, ...hosts),
  backend: fc.constantFrom(...backends),
  header: fc.constantFrom(undefined, 'x', 'y'),
})

const fields = {
  routes: fc.uniqueArray(route, { selector: ({ name }) => name, minLength: 3, maxLength: 5 }),
  ports: fc.record({ one: fc.constantFrom(9001, 9002), two: fc.constantFrom(9003, 9004) }),
  endpoints: fc.uniqueArray(fc.integer({ min: 1, max: 4 }), { maxLength: 3 }),
  groupBackend: fc.constantFrom('/one', '/two'),
  policies: fc.uniqueArray(
    fc.record({
      target: fc.constantFrom(...policyTargets),
      value: fc.constantFrom('p', 'q'),
    }),
    { selector: ({ target }) => target, maxLength: 4 },
  ),
  isGatewayListed: fc.boolean(),
  maxBufferSize: fc.constantFrom(1_000_000, 2_000_000),
}

/** Most of a configuration stays the same: one edit changes one of its parts. */
const edit: fc.Arbitrary<(chosen: Choices) => Choices> = fc.oneof(
  ...Object.entries(fields).map(([name, values]) =>
    (values as fc.Arbitrary<unknown>).map((value) => (chosen: Choices) => ({ ...chosen, [name]: value })),
  ),
  route.map((changed) => (chosen: Choices) => ({
    ...chosen,
    routes: [...chosen.routes.filter(({ name }) => name !== changed.name), changed],
  })),
)

const histories = fc
  .tuple(fc.record(fields), fc.array(edit, { minLength: 1, maxLength: 8 }))
  .map(([first, edits]) =>
    edits.reduce<readonly Choices[]>((all, change) => [...all, change(all.at(-1) ?? first)], [first]),
  )

const fileOf = (chosen: Choices): ConfigFile => ({
  gateways: {
    default: { port: 3000 },
    ...(chosen.isGatewayListed && { second: { port: 3001 } }),
  },
  frontendPolicies: { http: { maxBufferSize: chosen.maxBufferSize } },
  policies: chosen.policies
    .filter(({ target }) => !target.startsWith('r') || chosen.routes.some(({ name }) => name === target))
    .map(({ target, value }) => ({
      name: { name: `for-${target}` },
      target: targetOf(target),
      policy: { responseHeaderModifier: { add: { [`x-${target}`]: value } } },
    })),
  backends: [
    { name: 'one', host: `127.0.0.1:${chosen.ports.one}` },
    { name: 'two', host: `127.0.0.1:${chosen.ports.two}` },
  ],
  services: [{ name: 's', namespace: 'default', hostname: 's.test', ports: { 80: 8080 } }],
  workloads: chosen.endpoints.map((number) => ({
    uid: `w${number}`,
    name: `w${number}`,
    namespace: 'default',
    workloadIps: [`127.0.1.${number}`],
    services: { 'default/s.test': { 80: 8080 } },
  })),
  routeGroups: [{ name: 'group', routes: [{ name: 'inner', backends: [{ backend: chosen.groupBackend }] }] }],
  routes: chosen.routes.map(({ name, path, host, backend, header }) => ({
    name,
    gateways: 'default',
    ...(host !== undefined && { hostnames: [host] }),
    matches: [{ path: { pathPrefix: path } }],
    ...(header !== undefined && {
      policies: { requestHeaderModifier: { set: { 'x-route': header } } },
    }),
    backends: [backendOf(backend)],
  })),
})

const targetOf = (target: string) => {
  if (target === 'gateway') return { gateway: { gatewayName: 'default' } }
  return target.startsWith('r')
    ? { route: { name: target } }
    : { backend: { backend: { name: target, namespace: '' } } }
}

const backendOf = (backend: string) => {
  if (backend === 'host') return { host: '127.0.0.1:9005' }
  if (backend === 'service') return { service: { name: 'default/s.test', port: 80 } }
  return backend === 'group' ? { routeGroup: 'group' } : { backend }
}

/** A compiler whose upstreams record what they are called with. */
class Recorded {
  readonly registry: OfflineRegistry
  readonly compiler: ConfigurationCompiler
  #calls: RecordedCall[] = []

  constructor() {
    this.registry = new OfflineRegistry({
      upstream: (real) => recordingUpstream(real, (call) => this.#calls.push(call)),
      onCallout: () => undefined,
    })
    this.compiler = new ConfigurationCompiler({ registry: this.registry, rescuer: faultReply() })
  }

  /** Everything that can be seen of a snapshot: its resources, its endpoints, and what becomes of requests. */
  async view(snapshot: Snapshot): Promise<object> {
    const requests: object[] = []
    for (const path of paths)
      for (const authority of [...hosts, 'three.test'])
        requests.push(await this.#send(snapshot, path, authority))
    const endpoints = healthReport(this.registry.reported, 0).map(({ backend, endpoint }) => [
      backend,
      endpoint,
    ])
    return { resources: withoutOrigins(snapshot.resources), endpoints: endpoints.sort(), requests }
  }

  #send(snapshot: Snapshot, path: string, authority: string): Promise<object> {
    this.#calls = []
    const listener = snapshot.binds.get('bind/3000')?.listeners[0]
    assert.ok(listener)
    const x = exchange({ path, authority, snapshot, labels: listener.labels })
    const { promise, resolve, reject } = Promise.withResolvers<object>()
    listener.pipeline(ofExchange(x)).subscribe({
      next: () => {
        x.reply?.body.drop()
        resolve({
          labels: x.labels,
          status: x.reply?.status,
          headers: policyTargets.map((target) => x.reply?.headers.all(`x-${target}`)),
          calls: this.#calls.map(({ backend, x: { request } }) => [backend, request.headers.get('x-route')]),
        })
      },
      error: reject,
    })
    return promise
  }
}

const withoutOrigins = (resources: Resources): unknown =>
  JSON.parse(JSON.stringify(resources, (key, value: unknown) => (key === 'origin' ? undefined : value)))

const resourcesOf = (chosen: Choices): Resources =>
  parseConfig(JSON.stringify(fileOf(chosen), undefined, 2), 'random.yaml', {}).resources

test('a configuration that takes over parts behaves like one that was compiled from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const [reloaded, updated] = [new Recorded(), new Recorded()]
      let received: Resources | undefined
      for (const chosen of history) {
        const resources = resourcesOf(chosen)
        // As from a control plane: what has not changed is the same object.
        received = runAtOnce(reuseEqual(received, resources))
        const scratch = new Recorded()
        const expected = await scratch.view(await scratch.compiler.compile({ resources, hash: '' }))
        const afterReload = await reloaded.compiler.compile({ resources, hash: '' })
        assert.deepEqual(await reloaded.view(afterReload), expected)
        const afterUpdate = await updated.compiler.compile({ resources: received, hash: '', isUpdate: true })
        assert.deepEqual(await updated.view(afterUpdate), expected)
        await scratch.registry.close()
      }
      await Promise.all([reloaded.registry.close(), updated.registry.close()])
    }),
    { numRuns: 60 },
  )
})
