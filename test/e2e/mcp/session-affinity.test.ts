import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { httpTarget, sseTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { olderTransport } from '../../support/mcp/older-transport.ts'
import { type ScriptedServer, startScripted } from '../../support/mcp/scripted-server.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'
import { ownNames } from '../../support/resolver-names.ts'

const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3']
const config = { session: { key: '0123456789abcdef'.repeat(4) } }
/** So many that each address gets some, however the endpoints are drawn. */
const CLIENTS = 40

suite('a session with a server that has several addresses', { concurrency: false }, () => {
  const stack = new AsyncDisposableStack()
  let toys: readonly ToyServer[]
  let older: readonly ScriptedServer[]
  let here: McpRoutes
  let there: McpRoutes
  before(async () => {
    toys = await atEach((at) => startToy({ tools: ['add'], at }))
    older = await atEach((at) => startScripted(olderTransport(), at))
    const names = stack.use(ownNames({ 'several.test': ADDRESSES }))
    const routes = {
      http: { targets: [httpTarget('toy', `http://several.test:${portOf(toys)}/mcp`)] },
      sse: { targets: [sseTarget('older', `http://several.test:${portOf(older)}`)] },
    }
    const start = () => startMcpRoutes(routes, config, names.options)
    ;[here, there] = await Promise.all([start(), start()])
    for (const one of [here, there, ...toys, ...older]) stack.use(one)
  })
  after(() => stack.disposeAsync())

  const asked = (name: string): number[] => toys.map((toy) => toy.requestsOf(name).length)

  test('stays on its endpoint, on every replica, until it ends', async () => {
    const clients = Array.from({ length: CLIENTS }, () => here.client('http'))
    for (const client of clients) await client.open()
    // Sessions are on all endpoints, or this would show nothing.
    assert.ok(
      toys.every(({ sessions }) => sessions.size > 0),
      asked('initialize').join(),
    )
    for (const client of clients)
      for (const at of [here, there, here]) {
        const told = await at.client('http', { ...client.fields }).request('tools/call', { name: 'add' })
        assert.deepEqual([told.status, told.response?.result], [200, content('add done')], told.text)
      }
    assert.equal(sum(asked('initialize')), CLIENTS)
    for (const client of clients)
      assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 200)
    for (const toy of toys) await toy.nextRequestOf('DELETE', toy.requestsOf('initialize').length)
    assert.equal(sum(toys.map(({ sessions }) => sessions.size)), 0)
  })

  test('stays on one endpoint over HTTP+SSE as well', async () => {
    for (let i = 0; i < CLIENTS; i++) {
      const client = here.client('sse')
      await client.open()
      const told = await client.request('tools/call', { name: 'add' })
      assert.deepEqual(told.response?.result, content('add done'), told.text)
    }
    assert.ok(older.every(({ requests }) => requests.length > 0))
  })

  test('is renewed at another endpoint when its own is down', async () => {
    const client = here.client('http')
    await client.open()
    const [home] = toys.filter(({ sessions }) => sessions.size > 0)
    await home?.[Symbol.asyncDispose]()
    const told = await client.request('tools/call', { name: 'add' })
    assert.deepEqual(told.response?.result, content('add done'), told.text)
    const elsewhere = toys.filter((toy) => toy !== home && toy.sessions.size > 0)
    assert.equal(elsewhere.length, 1)
  })
})

/** One server at each address, all on one port. */
const atEach = async <T extends { readonly origin: string }>(
  start: (at: { readonly address: string; readonly port?: number }) => Promise<T>,
): Promise<readonly T[]> => {
  const started: T[] = []
  for (const address of ADDRESSES)
    started.push(await start(started.length ? { address, port: portOf(started) } : { address }))
  return started
}

const portOf = ([first]: readonly { readonly origin: string }[]): number =>
  Number(new URL(first?.origin ?? '').port)

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)
