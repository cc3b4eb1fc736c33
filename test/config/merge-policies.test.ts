import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { handDown } from '../../src/config/compile/routes/handed-down.ts'
import { mergeBackendPolicies, mergePolicies } from '../../src/config/merge-policies.ts'
import { ownPolicies } from '../../src/config/compile/own-policies.ts'
import { parseConfig } from '../../src/config/parse.ts'
import { backendPolicyDefinitions } from '../../src/config/schema/policies.ts'
import { policyDefinitions } from '../../src/config/schema/policies.ts'
import type { RoutePolicies } from '../../src/model/resources/policies.ts'
import type { PolicyTarget } from '../../src/model/resources/policy-target.ts'
import type { Resources, Route, TargetedPolicy } from '../../src/model/resources/resources.ts'
import { resourceIndex } from '../../src/model/resources/resource-index.ts'

/** Every kind of policy that routes, gateways and backends have, as the schema lists them. */
const kindsOf = (properties: object | undefined): string[] => Object.keys(properties ?? {}).sort()
const routeKinds = kindsOf(policyDefinitions.RoutePolicies?.properties)
const gatewayKinds = kindsOf(policyDefinitions.GatewayPolicies?.properties)
const backendKinds = kindsOf(backendPolicyDefinitions.BackendPolicies?.properties)

/** Kinds that are combined over several levels, with the member that is combined. */
const adding: Readonly<Record<string, string>> = {
  authorization: 'rules',
  mcpAuthorization: 'rules',
  requestHeaderModifier: 'set',
  responseHeaderModifier: 'set',
}

/** A policy of some kind that contains the name of its level. */
const from = (kind: string, level: string): unknown => {
  if (adding[kind] === 'rules') return { rules: [{ allow: level }] }
  return kind in adding ? { add: [], set: [['x-level', level]], remove: [] } : { level }
}

/** The levels that a merged policy contains, the outermost first. */
const levelsIn = (kind: string, policy: unknown): unknown => {
  if (policy === undefined) return []
  const { level, rules, set } = policy as Partial<Record<string, unknown>>
  if (adding[kind] === 'rules') return (rules as { allow: string }[]).map(({ allow }) => allow)
  return kind in adding ? (set as string[][]).map(([, value]) => value) : [level]
}

const expected = (kind: string, levels: readonly string[]): readonly string[] =>
  kind in adding ? levels : levels.slice(-1)

const { resources: bare } = parseConfig(
  `
gateways:
  edge: { port: 3000, listeners: [{ name: web, hostname: a.example }, { name: other }] }
  inner: { port: 3001 }
backends:
  - { name: api, host: localhost:80 }
services:
  - { name: shop, namespace: prod, hostname: shop.prod, ports: { 80: 8080 }, vips: [] }
workloads: []
routeGroups:
  - { name: group, routes: [{ name: main, ruleName: first }] }
routes:
  - { name: main, ruleName: first, gateways: [edge, inner], backends: [{ backend: api }] }
  - { name: main, ruleName: second, gateways: edge, matches: [{ path: { exact: /b } }], backends: [{ backend: api }] }
`,
  'levels.yaml',
  {},
)

const attached = (
  kind: string,
  targets: Readonly<Record<string, PolicyTarget>>,
  phase: TargetedPolicy['phase'] = 'route',
): readonly TargetedPolicy[] =>
  Object.entries(targets).map(([level, target]) => ({
    name: `${kind} ${level}`,
    namespace: 'default',
    target,
    phase,
    policy: { [kind]: from(kind, level) },
  }))

const edge = { kind: 'gateway', name: 'edge', namespace: 'default' } as const
const main = { kind: 'route', name: 'main', namespace: 'default' } as const
/** Levels of a route, the outermost first. */
const levels: Readonly<Record<string, PolicyTarget>> = {
  gateway: edge,
  listener: { ...edge, listener: 'web' },
  route: main,
  rule: { ...main, ruleName: 'first' },
}

const withInline = (kind: string, resources: Resources): Resources => ({
  ...resources,
  binds: resources.binds.map((bind) => ({
    ...bind,
    listeners: bind.listeners.map((listener) => ({
      ...listener,
      routes: listener.routes.map((route) => ({ ...route, policies: { [kind]: from(kind, 'inline') } })),
    })),
  })),
})

const listenerOf = ({ binds }: Resources, name: string) => {
  const listener = binds.flatMap(({ listeners }) => listeners).find((one) => one.listenerName === name)
  assert.ok(listener, name)
  return listener
}
const routeOf = (resources: Resources, listener: string, rule = 'first'): Route => {
  const route = listenerOf(resources, listener).routes.find(({ ruleName }) => ruleName === rule)
  assert.ok(route, rule)
  return route
}
const policyOf = (policies: object, kind: string): unknown => (policies as Record<string, unknown>)[kind]

/** All subsets of them. */
const choices = (names: readonly string[]): string[][] =>
  names.reduce<string[][]>((all, name) => [...all, ...all.map((some) => [...some, name])], [[]])

suite('policies of several levels', () => {
  let checked = 0
  for (const kind of routeKinds)
    test(`${kind} of a route: ${kind in adding ? 'all levels are combined' : 'the innermost level wins'}`, () => {
      for (const some of choices(Object.keys(levels)))
        for (const inline of [false, true]) {
          const targets = Object.fromEntries(
            // In reverse order: precedence depends on the target, not on the order in the file.
            some.toReversed().map((level) => [level, levels[level]!]),
          )
          const resources = { ...bare, policies: attached(kind, targets) }
          const merged = mergePolicies(inline ? withInline(kind, resources) : resources)
          const policy = policyOf(routeOf(merged, 'web').policies, kind)
          const present = inline ? [...some, 'inline'] : some
          assert.deepEqual(levelsIn(kind, policy), expected(kind, present), present.join())
          checked++
        }
    })

  test('are tested in all combinations', () => {
    assert.equal(checked, routeKinds.length * 2 ** 5)
    assert.ok(routeKinds.length >= 20)
  })

  test('apply only to their targets', () => {
    const resources = mergePolicies({ ...bare, policies: attached('authorization', levels) })
    const at = (listener: string, rule?: string) =>
      levelsIn('authorization', policyOf(routeOf(resources, listener, rule).policies, 'authorization'))
    assert.deepEqual(at('web'), ['gateway', 'listener', 'route', 'rule'])
    assert.deepEqual(at('other'), ['gateway', 'route', 'rule'])
    assert.deepEqual(at('inner'), ['route', 'rule'])
    assert.deepEqual(at('web', 'second'), ['gateway', 'listener', 'route'])
    const [inGroup] = resources.routeGroups[0]?.routes ?? []
    assert.deepEqual(levelsIn('authorization', inGroup?.policies.authorization), ['route', 'rule'])
  })

  test('about MCP and A2A are inherited by the routes of groups, and no others', () => {
    const [route] = bare.routeGroups[0]?.routes ?? []
    assert.ok(route)
    const rules = (text: string) => ({ rules: [{ allow: text }] })
    const outer = {
      mcpAuthorization: rules('a'),
      authorization: rules('b'),
      delay: { duration: { ms: 1 } },
      a2a: {},
    }
    assert.deepEqual(handDown({ policies: outer }, route).policies, { mcpAuthorization: rules('a'), a2a: {} })
    const inner = { ...route, policies: { mcpAuthorization: rules('c'), authorization: rules('d') } }
    assert.deepEqual(handDown({ policies: outer }, inner).policies, {
      mcpAuthorization: { rules: [{ allow: 'a' }, { allow: 'c' }] },
      authorization: rules('d'),
      a2a: {},
    })
    assert.deepEqual(handDown({ policies: {} }, inner), inner)
  })

  test('of a delegating route that are about connections are handed down, credentials are not', () => {
    const [route] = bare.routeGroups[0]?.routes ?? []
    assert.ok(route)
    const outer = {
      http: { requestTimeout: { ms: 1 } },
      tcp: {},
      health: {},
      backendTLS: {},
      backendTunnel: {},
      backendAuth: {},
      loadBalancing: {},
    } as unknown as RoutePolicies
    const { backendAuth: _, loadBalancing: __, ...handed } = outer
    assert.deepEqual(handDown({ policies: outer }, route).policies, handed)
    const own = { ...route, policies: { tcp: { connectTimeout: { ms: 2 } } } } as unknown as Route
    assert.deepEqual(handDown({ policies: outer }, own).policies, { ...handed, ...own.policies })
  })

  test('with a port apply to the gateway on that port only', () => {
    const policies = attached('delay', { here: { ...edge, port: 3000 }, elsewhere: { ...edge, port: 3001 } })
    const merged = mergePolicies({ ...bare, policies })
    assert.deepEqual(levelsIn('delay', routeOf(merged, 'web').policies.delay), ['here'])
  })

  for (const kind of gatewayKinds)
    test(`${kind} of a listener, before a route is known: ${kind in adding ? 'all levels are combined' : 'the innermost level wins'}`, () => {
      for (const some of choices(['gateway', 'listener']))
        for (const inline of [false, true]) {
          const targets = Object.fromEntries(some.toReversed().map((level) => [level, levels[level]!]))
          const policies = inline ? { [kind]: from(kind, 'inline') } : {}
          const merged = mergePolicies({
            ...bare,
            binds: bare.binds.map((bind) => ({
              ...bind,
              listeners: bind.listeners.map((listener) => ({ ...listener, policies })),
            })),
            policies: [
              ...attached(kind, targets, 'gateway'),
              // Route policies do not apply to the listener.
              ...attached(kind, { unrelated: edge }),
            ],
          })
          const present = inline ? [...some, 'inline'] : some
          const { policies: own } = listenerOf(merged, 'web')
          assert.deepEqual(levelsIn(kind, policyOf(own, kind)), expected(kind, present), present.join())
        }
    })

  for (const kind of backendKinds)
    test(`${kind} of a backend: ${kind in adding ? 'attached and inline policies are combined' : 'the inline policy wins'}`, () => {
      const [backend] = bare.backends
      assert.ok(backend)
      for (const some of choices(['attached', 'own'])) {
        const merged = mergePolicies({
          ...bare,
          backends: [{ ...backend, policies: some.includes('own') ? { [kind]: from(kind, 'own') } : {} }],
          policies: some.includes('attached')
            ? attached(kind, { attached: { kind: 'backend', key: backend.key } })
            : [],
        })
        const policy = policyOf(merged.backends[0]?.policies ?? {}, kind)
        assert.deepEqual(levelsIn(kind, policy), expected(kind, some), some.join())
      }
    })

  for (const kind of backendKinds)
    test(`${kind} of a backend reference: ${kind in adding ? 'adds to that of the backend' : 'replaces that of the backend'}`, () => {
      const merged = mergeBackendPolicies({ [kind]: from(kind, 'own') }, { [kind]: from(kind, 'use') })
      assert.deepEqual(levelsIn(kind, policyOf(merged, kind)), expected(kind, ['own', 'use']))
      const untouched = mergeBackendPolicies({ [kind]: from(kind, 'own') }, {})
      assert.deepEqual(levelsIn(kind, policyOf(untouched, kind)), ['own'])
    })

  test('of a service are found by either of its names', () => {
    const target = { kind: 'service', name: 'prod/shop.prod' } as const
    const policies = attached('authorization', { service: target })
    for (const [name, found] of [
      ['prod/shop', ['service']],
      ['prod/shop.prod', ['service']],
      ['prod/other', []],
    ] as const) {
      const service = resourceIndex(mergePolicies({ ...bare, policies })).service(name)
      assert.deepEqual(levelsIn('authorization', service?.policies?.authorization), found)
    }
  })

  test('of one level are combined in file order', () => {
    const twice = [
      ...attached('authorization', { first: edge }),
      ...attached('authorization', { second: edge }),
    ]
    const merged = mergePolicies({ ...bare, policies: twice })
    assert.deepEqual(levelsIn('authorization', routeOf(merged, 'web').policies.authorization), [
      'first',
      'second',
    ])
  })
})

suite('policies made from resources', () => {
  const cors = (name: string, createdAt?: string): TargetedPolicy => ({
    name,
    namespace: 'default',
    target: main,
    phase: 'route',
    ...(createdAt !== undefined && {
      precedence: { createdAt, namespace: 'default', name, rule: 0, match: 0 },
    }),
    policy: { cors: { level: name } as never },
  })
  const inForce = (...policies: readonly TargetedPolicy[]) =>
    levelsIn('cors', policyOf(routeOf(mergePolicies({ ...bare, policies }), 'web').policies, 'cors'))

  test('of one target: the oldest wins, whatever the order', () => {
    const [older, younger] = [
      cors('older', '2026-01-01T00:00:00.000Z'),
      cors('younger', '2026-01-02T00:00:00.000Z'),
    ]
    assert.deepEqual(inForce(older, younger), ['older'])
    assert.deepEqual(inForce(younger, older), ['older'])
  })

  test('of one age: the first by name wins', () => {
    const time = '2026-01-01T00:00:00.000Z'
    assert.deepEqual(inForce(cors('b', time), cors('a', time)), ['a'])
  })

  test('win over those of a list, of which the last wins', () => {
    assert.deepEqual(inForce(cors('one'), cors('two')), ['two'])
    assert.deepEqual(inForce(cors('made', '2026-01-01T00:00:00.000Z'), cors('two')), ['made'])
  })

  test('apply to routes of the kind that they name', () => {
    const targeted = (routeKind: 'HTTPRoute' | 'GRPCRoute') =>
      inForce({ ...cors(routeKind), target: { ...main, routeKind } })
    assert.deepEqual(targeted('HTTPRoute'), ['HTTPRoute'])
    assert.deepEqual(targeted('GRPCRoute'), [])
  })
})

test('policies of a port of a service are inner to those of the service', () => {
  const { resources } = parseConfig(
    `
gateways: { default: { port: 3000 } }
services: [{ name: shop, namespace: prod, hostname: shop.prod, ports: { 80: 8080, 443: 8443 } }]
policies:
  - name: { name: of-the-port }
    target: { backend: { service: { hostname: shop.prod, namespace: prod, port: 443 } } }
    policy: { backendTLS: { hostname: port.example } }
  - name: { name: of-the-service }
    target: { backend: { service: { hostname: shop.prod, namespace: prod } } }
    policy: { backendTLS: { hostname: service.example } }
`,
    'ports.yaml',
    {},
  )
  const merged = mergePolicies(resources)
  const hostnameAt = (port: number) =>
    ownPolicies({ kind: 'service', name: 'prod/shop.prod', port }, resourceIndex(merged)).backendTLS?.hostname
  assert.deepEqual([hostnameAt(443), hostnameAt(80)], ['port.example', 'service.example'])
})

test('policies of a listener set apply to its listeners only, between those of the gateway and a listener', () => {
  const target = (name: string, target: string, milliseconds: number) =>
    `  - { name: { name: ${name} }, target: ${target}, policy: { timeout: { requestTimeout: ${String(milliseconds)}ms } } }`
  const { resources } = parseConfig(
    `
binds:
  - port: 3000
    listeners:
      - { name: own, hostname: own.example, namespace: prod, routes: [{ name: r }] }
      - { name: one, hostname: one.example, namespace: prod, listenerSet: { name: set, namespace: team }, routes: [{ name: r }] }
      - { name: two, hostname: two.example, namespace: prod, listenerSet: { name: set, namespace: team }, routes: [{ name: r }] }
policies:
${target('c', '{ listenerSet: { name: set, namespace: team, listenerName: two } }', 3)}
${target('b', '{ listenerSet: { name: set, namespace: team } }', 2)}
${target('a', '{ gateway: { gatewayName: default, gatewayNamespace: prod } }', 1)}
`,
    'sets.yaml',
    {},
  )
  const merged = mergePolicies(resources)
  assert.deepEqual(
    ['own', 'one', 'two'].map(
      (name) => listenerOf(merged, name).routes[0]?.policies.timeout?.requestTimeoutMs,
    ),
    [1, 2, 3],
  )
})
