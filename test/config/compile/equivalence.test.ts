import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseConfig } from '../../../src/config/parse.ts'
import type { ConfigFile } from '../../../src/config/schema/file-types.gen.ts'
import { reuseEqual } from '../../../src/config/reuse-equal.ts'
import { runAtOnce } from '../../../src/model/event-loop/time-slicing.ts'
import type { Resources } from '../../../src/model/resources/resources.ts'
import { type Probes, RecordedSnapshots } from '../../support/recorded-snapshots.ts'

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

const probes: Probes = {
  bind: 'bind/3000',
  paths,
  hosts: [...hosts, 'three.test'],
  replyHeaders: policyTargets.map((target) => `x-${target}`),
}

const resourcesOf = (chosen: Choices): Resources =>
  parseConfig(JSON.stringify(fileOf(chosen), undefined, 2), 'random.yaml', {}).resources

test('a configuration that takes over parts behaves like one that was compiled from scratch', async () => {
  await fc.assert(
    fc.asyncProperty(histories, async (history) => {
      const [reloaded, updated] = [new RecordedSnapshots(probes), new RecordedSnapshots(probes)]
      let received: Resources | undefined
      for (const chosen of history) {
        const resources = resourcesOf(chosen)
        // As from a control plane: what has not changed is the same object.
        received = runAtOnce(reuseEqual(received, resources))
        const scratch = new RecordedSnapshots(probes)
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
