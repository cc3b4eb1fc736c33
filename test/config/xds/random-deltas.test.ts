import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseConfig } from '../../../src/config/parse.ts'
import { XdsJoin } from '../../../src/config/xds/with-xds.ts'
import { type XdsResource, xdsName, xdsResource } from '../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../src/config/xds/xds-state.ts'
import { type Probes, RecordedSnapshots } from '../../support/recorded-snapshots.ts'

const file = { ...parseConfig('{}', 'gateway.yaml', {}), name: 'gateway.yaml' }

const hosts = ['one.test', 'two.test']
const paths = ['/', '/a', '/a/b', '/b']

const probes: Probes = {
  bind: 'bind/8080',
  paths,
  hosts: [...hosts, 'three.test'],
  replyHeaders: ['x-gateway', 'x-route', 'x-backend'],
}

const listenerKeys = ['default/web/all', 'default/web/one']
const digit = fc.integer({ min: 0, max: 4 })

const bind = fc.constant(xdsResource('bind', 'bind/8080', { port: 8080 }))

const listener = fc
  .record({ key: fc.constantFrom(...listenerKeys), isNamed: fc.boolean() })
  .map(({ key, isNamed }) =>
    xdsResource(
      'listener',
      key,
      {
        name: key,
        namespace: 'default',
        gatewayName: 'web',
        protocol: 'HTTP',
        ...(key === 'default/web/one' && { hostname: isNamed ? 'one.test' : '*.test' }),
      },
      ['bind/8080'],
    ),
  )

const route = fc
  .record({
    number: digit,
    path: fc.constantFrom(...paths),
    host: fc.constantFrom(undefined, ...hosts),
    header: fc.constantFrom(undefined, 'x', 'y'),
    day: fc.constantFrom(undefined, 1, 2, 3),
    parents: fc.subarray(listenerKeys),
    target: fc.constantFrom('backend', 'service', 'inline', 'none'),
  })
  .map(({ number, path, host, header, day, parents, target }) => {
    const name = `r${number}`
    return xdsResource(
      'route',
      name,
      {
        name,
        namespace: 'default',
        ...(host !== undefined && { hostnames: [host] }),
        ...(day !== undefined && {
          precedence: {
            createdAt: `2026-01-0${day}T00:00:00Z`,
            namespace: 'default',
            name,
            rule: 0,
            match: 0,
          },
        }),
        matches: [{ path: { pathPrefix: path } }],
        ...(header !== undefined && { policies: { requestHeaderModifier: { set: { 'x-route': header } } } }),
        backends: backendsOf(target, number),
      },
      parents,
    )
  })

const backendsOf = (target: string, number: number) => {
  if (target === 'backend') return [{ backend: `/b${number % 2}` }]
  if (target === 'service') return [{ service: { name: `default/s${number % 2}.test`, port: 80 } }]
  return target === 'inline' ? [{ host: `127.0.0.1:${9100 + number}` }] : []
}

const backend = fc
  .record({ number: fc.integer({ min: 0, max: 1 }), port: fc.constantFrom(9001, 9002) })
  .map(({ number, port }) =>
    xdsResource('backend', `/b${number}`, { name: `b${number}`, host: `127.0.0.1:${port}` }),
  )

const service = fc
  .record({ number: fc.integer({ min: 0, max: 1 }), port: fc.constantFrom(8080, 8081) })
  .map(({ number, port }) => {
    const hostname = `s${number}.test`
    return xdsResource('service', `default/${hostname}`, {
      ...{ name: `s${number}`, namespace: 'default', hostname, ports: { 80: port } },
    })
  })

const workload = fc
  .record({ number: fc.integer({ min: 0, max: 9 }), address: digit, services: fc.subarray([0, 1]) })
  .map(({ number, address, services }) =>
    xdsResource('workload', `w${number}`, {
      uid: `w${number}`,
      namespace: 'default',
      workloadIps: [`127.0.1.${address + 1}`],
      services: Object.fromEntries(services.map((one) => [`default/s${one}.test`, { 80: 8080 }])),
    }),
  )

const targets = {
  gateway: { gateway: { gatewayName: 'web', gatewayNamespace: 'default' } },
  route: { route: { name: 'r0', namespace: 'default' } },
  backend: { backend: { backend: { name: 'b0', namespace: '' } } },
}

const policy = fc
  .record({ name: fc.constantFrom('gateway', 'route', 'backend'), value: fc.constantFrom('p', 'q') })
  .map(({ name, value }) =>
    xdsResource('policy', name, {
      name: { name, namespace: 'default' },
      target: targets[name],
      policy: { responseHeaderModifier: { add: { [`x-${name}`]: value } } },
    }),
  )

const resource: fc.Arbitrary<XdsResource> = fc.oneof(
  { weight: 1, arbitrary: bind },
  { weight: 2, arbitrary: listener },
  { weight: 8, arbitrary: route },
  { weight: 2, arbitrary: backend },
  { weight: 2, arbitrary: service },
  { weight: 6, arbitrary: workload },
  { weight: 2, arbitrary: policy },
)

/** A few changes, of which some remove what they name. */
const delta = fc.array(fc.record({ resource, isRemoved: fc.boolean() }), { minLength: 1, maxLength: 4 })

const histories = fc.tuple(
  fc.array(resource, { minLength: 20, maxLength: 40 }),
  fc.array(delta, { minLength: 2, maxLength: 8 }),
)

const received = (one: XdsResource) => ({ ...one, name: xdsName(one), model: JSON.stringify(one.model) })

const stateWith = (resources: Iterable<XdsResource>): XdsState => {
  const state = new XdsState(file.shared)
  const refused = state.apply({ resources: [...resources].map(received), removed: [] })
  assert.deepEqual(refused, [])
  return state
}

test('a gateway that was updated behaves like one that got everything at once', async () => {
  let seen = 0
  await fc.assert(
    fc.asyncProperty(histories, async ([base, deltas]) => {
      const all = new Map([...portOf(base), ...base].map((one) => [xdsName(one), one]))
      const state = stateWith(all.values())
      const xds = new XdsJoin(state)
      const updated = new RecordedSnapshots(probes)
      await updated.compiler.compile(await xds.join(file))
      for (const changes of deltas) {
        const removed = changes.filter(({ isRemoved }) => isRemoved).map((one) => xdsName(one.resource))
        const sent = changes.filter(({ isRemoved }) => !isRemoved).map((one) => one.resource)
        for (const name of removed) all.delete(name)
        for (const one of sent) all.set(xdsName(one), one)
        const latest = new Map(sent.map((one) => [xdsName(one), one]))
        state.apply({ resources: [...latest.values()].map(received), removed })
        const scratch = new RecordedSnapshots(probes)
        const expected = await scratch.compiler.compile(
          // In another order of arrival.
          await new XdsJoin(stateWith([...all.values()].reverse())).join(file),
        )
        const actual = await updated.compiler.compile(await xds.join(file, true))
        assert.equal(actual.hash, expected.hash)
        const view = await updated.view(actual)
        assert.deepEqual(view, await scratch.view(expected))
        if (JSON.stringify(view).includes('"calls":[[')) seen++
        await scratch.registry.close()
      }
      await updated.registry.close()
    }),
    { numRuns: 60 },
  )
  assert.ok(seen > 30, `backends were called by ${seen} configurations only`)
})

/** Mostly there is a port: nothing can be seen without. */
const portOf = (base: readonly XdsResource[]): readonly XdsResource[] =>
  base.length % 8 === 0 ? [] : [xdsResource('bind', 'bind/8080', { port: 8080 })]
