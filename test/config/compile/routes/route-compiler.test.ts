import assert from 'node:assert/strict'
import { afterEach, beforeEach, suite, test } from 'node:test'
import { ConfigurationCompiler } from '../../../../src/config/compile.ts'
import { parseConfig } from '../../../../src/config/parse.ts'
import type { Route as FileRoute } from '../../../../src/config/schema/file-types.gen.ts'
import { routeGroupParent, xdsName, xdsResource } from '../../../../src/config/xds/xds-resource.ts'
import { XdsState } from '../../../../src/config/xds/xds-state.ts'
import type { Snapshot } from '../../../../src/model/resources/snapshot.ts'
import { faultReply } from '../../../../src/pipeline/fault-reply.ts'
import { ofExchange } from '../../../../src/pipeline/of-exchange.ts'
import { exchange } from '../../../../src/testing/exchange.ts'
import { Registry } from '../../../../src/upstream/registry.ts'

let registry: Registry
let compiler: ConfigurationCompiler

beforeEach(() => {
  registry = new Registry()
  compiler = new ConfigurationCompiler({ registry, rescuer: faultReply() })
})

afterEach(() => registry.close(0))

/** The routes of each group. A file must not have groups that lead to themselves; a control plane may send them. */
type Groups = Readonly<Record<string, readonly FileRoute[]>>

const one = (routeGroup: string): FileRoute => ({ backends: [{ routeGroup }] })

const to = (routeGroup: string): FileRoute[] => [one(routeGroup)]

const at = (path: string, route: FileRoute): FileRoute => ({ ...route, matches: [{ path: { exact: path } }] })

const says = (body: string): FileRoute => ({
  name: body,
  matches: [{ path: { exact: `/${body}` } }],
  policies: { directResponse: { status: 200, body } },
})

let hashes = 0

const compiled = (routes: readonly FileRoute[], groups: Groups): Promise<Snapshot> => {
  const file = { gateways: { default: { port: 3000 } } }
  const { resources, shared } = parseConfig(JSON.stringify(file), 'groups.yaml', {})
  const state = new XdsState(shared)
  const sent = [
    xdsResource('bind', 'sent', { port: 1 }),
    xdsResource('listener', 'sent', { protocol: 'HTTP' }, ['sent']),
    ...routes.map((route, i) => xdsResource('route', `route-${i}`, route, ['sent'])),
    ...Object.entries(groups).flatMap(([name, list]) =>
      list.map((route, i) => xdsResource('route', `${name}-${i}`, route, [routeGroupParent(name)])),
    ),
  ]
  const refused = state.apply({
    resources: sent.map((one) => ({ ...one, name: xdsName(one), model: JSON.stringify(one.model) })),
    removed: [],
  })
  assert.deepEqual(refused, [])
  return compiler.compile({ resources: { ...resources, ...state.assemble() }, hash: String(hashes++) })
}

const exchangeOf = (snapshot: Snapshot, path: string) => {
  const [listener] = snapshot.binds.get('bind/1')?.listeners ?? []
  assert.ok(listener)
  const x = exchange({ path, snapshot, labels: listener.labels })
  listener
    .pipeline(ofExchange(x))
    .subscribe({ error: () => undefined })
    .unsubscribe()
  return x
}

const replyOf = (snapshot: Snapshot, path: string): string => {
  const { reply } = exchangeOf(snapshot, path)
  return `${reply?.status} ${reply?.code ?? ''}`.trim()
}

suite('route groups', () => {
  test('a change of one route compiles that route alone', async () => {
    const groups = (first: string): Groups => ({
      outer: [...to('inner'), says('sibling')],
      inner: [
        { ...says('first'), policies: { directResponse: { status: 200, body: first } } },
        says('second'),
      ],
    })
    const labels = (snapshot: Snapshot) =>
      ['/first', '/second', '/sibling', '/plain'].map((path) => exchangeOf(snapshot, path).labels)
    const routes = [...to('outer'), says('plain')]
    const before = labels(await compiled(routes, groups('one')))
    const after = labels(await compiled(routes, groups('two')))
    assert.deepEqual(
      after.map((one, i) => one === before[i]),
      [false, true, true, true],
    )
    const again = labels(await compiled(routes, groups('two')))
    assert.ok(again.every((one, i) => one === after[i]))
  })

  test('a group is compiled once for all routes that hand down the same', async () => {
    const snapshot = await compiled([at('/a', one('g')), at('/b', one('g'))], {
      g: [{ name: 'any', policies: { directResponse: { status: 200 } } }],
    })
    assert.equal(exchangeOf(snapshot, '/a').labels, exchangeOf(snapshot, '/b').labels)
  })

  test('a group that leads back to one around it is a cycle there only', async () => {
    const groups = { a: [...to('b'), says('in-a')], b: [at('/loop', one('a')), says('in-b')] }
    const snapshot = await compiled(to('a'), groups)
    assert.equal(replyOf(snapshot, '/loop'), '500 route_cycle')
    assert.equal(replyOf(snapshot, '/in-b'), '200')
    assert.equal(replyOf(snapshot, '/in-a'), '200')
    assert.equal(replyOf(snapshot, '/none'), '404 route_not_found')
  })

  test('a group that leads to itself', async () => {
    const snapshot = await compiled(to('self'), { self: to('self') })
    assert.equal(replyOf(snapshot, '/'), '500 route_cycle')
  })

  test('groups may be nested 16 deep', async () => {
    const chain = (length: number): Groups =>
      Object.fromEntries(
        Array.from({ length }, (_, i) => [`g${i}`, i + 1 < length ? to(`g${i + 1}`) : [says('end')]]),
      )
    assert.equal(replyOf(await compiled(to('g0'), chain(16)), '/end'), '200')
    assert.equal(replyOf(await compiled(to('g0'), chain(17)), '/end'), '500 route_group_limit')
    assert.equal(replyOf(await compiled(to('g0'), chain(2_000)), '/end'), '500 route_group_limit')
  })

  test('groups with many ways between them take no more than there are groups', async () => {
    const width = 12
    const names = Array.from({ length: width }, (_, i) => `g${i}`)
    const each = (level: number): FileRoute[] =>
      names.map((name) => at(`/${name}`, { name, backends: [{ routeGroup: `${level}-${name}` }] }))
    const levels = Array.from({ length: 15 }, (_, level) =>
      names.map((name) => [`${level}-${name}`, level < 14 ? each(level + 1) : [says('end')]] as const),
    )
    const snapshot = await compiled(each(0), Object.fromEntries(levels.flat()))
    assert.equal(replyOf(snapshot, '/g0'), '404 route_not_found')
  })

  test('more than 64 different policies are not handed down to one group', async () => {
    const routes = Array.from({ length: 65 }, (_, i) =>
      at(`/${i}`, {
        name: `r${i}`,
        policies: { mcpAuthorization: { rules: [`mcp.tool.name == "${i}"`] } },
        backends: [{ routeGroup: 'g' }],
      }),
    )
    const snapshot = await compiled(routes, {
      g: [{ name: 'any', policies: { directResponse: { status: 200 } } }],
    })
    const replies = routes.map((_, i) => replyOf(snapshot, `/${i}`))
    assert.equal(replies.filter((reply) => reply === '200').length, 64)
    assert.equal(replies.filter((reply) => reply === '500 route_group_limit').length, 1)
  })
})
