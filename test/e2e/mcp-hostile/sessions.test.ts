import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { Agent } from 'node:http'
import { after, before, suite, test } from 'node:test'
import { cheapTarget } from '../../support/mcp/shell-server.ts'
import type { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { processesMarked, until } from '../../support/mcp/stdio-fixture.ts'
import { reply, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const UNKNOWN = 'mcp: session not found'
const config = { session: { key: '0123456789abcdef'.repeat(4) } }
const mark = randomUUID()
const call = { name: 'add' }

suite('session ids', { concurrency: false }, () => {
  let toy: ToyServer
  let second: ToyServer
  let here: McpRoutes
  let there: McpRoutes
  before(async () => {
    toy = await startToy({ tools: ['add'] })
    second = await startToy({ tools: ['add'] })
    const one = [httpTarget('toy', toy.url)]
    const apiKey = { mode: 'strict', keys: [{ key: 'key-of-ann' }, { key: 'key-of-eve' }] }
    const routes = {
      one: { targets: one },
      other: { targets: one },
      users: { targets: one, policies: { apiKey } },
      two: { targets: [...one, httpTarget('second', second.url)] },
      bad: { targets: [...one, httpTarget('bad', 'http://127.0.0.1:1/mcp')] },
      stateless: { targets: one, mcp: { statefulMode: 'stateless' } },
      stdio: { targets: [cheapTarget('sh', mark)] },
    }
    ;[here, there] = await Promise.all([startMcpRoutes(routes, config), startMcpRoutes(routes, config)])
  })
  after(async () => {
    await here[Symbol.asyncDispose]()
    await there[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
    await second[Symbol.asyncDispose]()
    await until(() => processesMarked(mark).length === 0)
  })

  const opened = async (name: string, fields?: Record<string, string>): Promise<McpCaller> => {
    const client = here.client(name, fields)
    await client.open()
    return client
  }
  const statusWith = async (client: McpCaller, session: string): Promise<[number, string]> => {
    const told = await client.request('tools/list', {}, { fields: { 'mcp-session-id': session } })
    return [told.status, told.text]
  }

  test('are refused if forged', async () => {
    const client = await opened('one')
    const id = client.fields['mcp-session-id'] ?? ''
    const middle = id.length >> 1
    const flipped = id[middle] === 'A' ? 'B' : 'A'
    for (const forged of [
      randomUUID(),
      'x',
      id.slice(0, -1),
      id.slice(1),
      id.slice(0, middle),
      `${id}A`,
      id + id,
      `${id.slice(0, middle)}${flipped}${id.slice(middle + 1)}`,
      Buffer.from('{"t":"mcp","s":[{"t":"toy"}],"v":"2025-11-25","a":0}').toString('base64url'),
      'A'.repeat(8_000),
    ])
      assert.deepEqual(await statusWith(client, forged), [404, UNKNOWN], forged.slice(0, 80))
    assert.equal((await client.request('tools/list')).status, 200)
  })

  test('are refused at another backend', async () => {
    const id = (await opened('one')).fields['mcp-session-id'] ?? ''
    assert.deepEqual(await statusWith(here.client('other'), id), [404, UNKNOWN])
    assert.deepEqual(await statusWith(there.client('other'), id), [404, UNKNOWN])
  })

  test('are refused for another user, on every replica', async () => {
    const ann = await opened('users', { authorization: 'Bearer key-of-ann' })
    const id = ann.fields['mcp-session-id'] ?? ''
    const eve = { authorization: 'Bearer key-of-eve' }
    for (const replica of [here, there]) {
      assert.deepEqual(await statusWith(replica.client('users', eve), id), [404, UNKNOWN])
      const end = await replica
        .client('users', { ...eve, 'mcp-session-id': id })
        .send(undefined, { method: 'DELETE' })
      assert.deepEqual([end.status, end.text], [404, UNKNOWN])
    }
    assert.equal((await ann.request('tools/list')).status, 200)
  })

  test('are accepted by another replica, with the same session at the server', async () => {
    const client = await opened('two')
    const before = toy.requestsOf('initialize').length
    const elsewhere = there.client('two', { ...client.fields })
    const told = await elsewhere.request('tools/call', { name: 'toy_add' })
    assert.equal(told.status, 200, told.text)
    assert.equal(toy.requestsOf('initialize').length, before)
    const [first] = toy.requestsOf('notifications/initialized').slice(-1)
    const [last] = toy.requestsOf('add').slice(-1)
    assert.equal(last?.headers['mcp-session-id'], first?.headers['mcp-session-id'])
    // The session also continues on its first replica.
    assert.equal((await client.request('tools/call', { name: 'toy_add' })).status, 200)
  })

  test('are refused everywhere once the session has ended', async () => {
    for (const route of ['one', 'two']) {
      const client = await opened(route)
      const elsewhere = there.client(route, { ...client.fields })
      const end = await client.send(undefined, { method: 'DELETE' })
      assert.equal(end.status, 200)
      for (let time = 0; time < 2; time++) {
        const again = await client.request('tools/list')
        assert.deepEqual([again.status, again.text], [404, UNKNOWN])
        assert.equal((await elsewhere.request('tools/list')).status, 404, `${route} ${time}`)
      }
    }
  })

  test('of stdio servers are refused by another replica, with the name of the owner', async () => {
    const client = await opened('stdio')
    const told = await there.client('stdio', { ...client.fields }).request('tools/list')
    assert.equal(told.status, 404)
    assert.match(
      told.text,
      /^mcp: session belongs to replica \S+, .*config\.session\.key and config\.session\.address/,
    )
    assert.equal((await client.request('tools/list')).status, 200)
    await client.send(undefined, { method: 'DELETE' })
  })

  test('stay valid if a server session expires, which is renewed once for concurrent requests', async () => {
    const client = await opened('one')
    toy.sessions.clear()
    const before = toy.requestsOf('initialize').length
    const told = await Promise.all(Array.from({ length: 8 }, () => client.request('tools/call', call)))
    assert.deepEqual(
      told.map(({ status, response: answer }) => [status, answer?.result?.content !== undefined]),
      told.map(() => [200, true]),
    )
    assert.equal(toy.requestsOf('initialize').length, before + 1)
    assert.equal(toy.sessions.size, 1)
    assert.equal((await client.request('tools/call', call)).status, 200)
  })

  test('of two clients never share a server session', async () => {
    const clients = await Promise.all([opened('one'), opened('one'), opened('one')])
    const from = toy.requestsOf('add').length
    for (const client of clients) await client.request('tools/call', call)
    const seen = toy.requestsOf('add').slice(from)
    assert.equal(new Set(seen.map(({ headers }) => headers['mcp-session-id'])).size, 3)
  })

  test('are not needed by clients without sessions, each of which has server sessions of its own', async () => {
    const sessions = async (...clients: [McpCaller, Agent | undefined][]): Promise<unknown[]> => {
      const from = toy.requestsOf('add').length
      for (const [client, agent] of clients) {
        const told = await client.requestModern('tools/call', call, {}, agent ? { agent } : {})
        assert.equal(told.status, 200, told.text)
      }
      return toy
        .requestsOf('add')
        .slice(from)
        .map(({ headers }) => headers['mcp-session-id'])
    }
    const client = here.client('one')
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const [a, b, c] = await sessions([client, agent], [client, agent], [client, undefined])
    assert.equal(a, b)
    assert.notEqual(a, c)
    // A shared connection identifies no client.
    const behind = here.client('one', { 'x-forwarded-for': '192.0.2.1' })
    const [d, e] = await sessions([behind, agent], [behind, agent])
    assert.notEqual(d, e)
    const ann = here.client('users', { authorization: 'Bearer key-of-ann' })
    const eve = here.client('users', { authorization: 'Bearer key-of-eve' })
    const [f, g, h] = await sessions([ann, undefined], [ann, undefined], [eve, undefined])
    assert.equal(f, g)
    assert.notEqual(f, h)
    // A session that the server has lost is renewed.
    toy.sessions.clear()
    const [forgotten, i] = await sessions([ann, undefined])
    assert.equal(forgotten, f)
    assert.notEqual(i, f)
    agent.destroy()
  })

  test('are not issued in stateless mode, which leaves no server session behind', async () => {
    toy.sessions.clear()
    const client = here.client('stateless')
    const begun = await client.open()
    assert.equal(begun.session, '')
    for (let i = 0; i < 3; i++) {
      assert.equal((await client.request('tools/list')).status, 200)
      assert.equal(
        (await client.request('tools/call', call, { fields: { 'mcp-session-id': 'x' } })).status,
        200,
      )
    }
    await until(() => toy.sessions.size === 0)
  })

  test('have a limited length for large client capabilities, which servers receive in full', async () => {
    const clientInfo = { name: 'n'.repeat(20_000), version: '1', icons: ['i'.repeat(20_000)] }
    const experimental = Object.fromEntries(
      Array.from({ length: 500 }, (_, i) => [`x${i}`, { y: 'y'.repeat(50) }]),
    )
    const capabilities = { sampling: {}, elicitation: { form: {}, url: {} }, experimental }
    const client = here.client('one')
    const told = await client.open({ clientInfo, capabilities })
    assert.equal(told.status, 200)
    assert.ok(told.session.length <= 8_000, String(told.session.length))
    const params = toy.requestsOf('initialize').at(-1)?.body.params
    assert.deepEqual(params, { protocolVersion: '2025-11-25', clientInfo, capabilities })
    assert.equal((await there.client('one', { ...client.fields }).request('tools/call', call)).status, 200)
  })

  test('are not issued by a failed handshake, which leaves no server session behind', async () => {
    toy.sessions.clear()
    const told = await here.client('bad').open()
    assert.deepEqual([told.status, told.session, told.response?.error?.code], [200, '', -32_603])
    await until(() => toy.sessions.size === 0)
    // A session that a server begins too late is ended.
    await using late = await startToy({
      handlers: {
        initialize: (request, response) => {
          late.sessions.add('late')
          setTimeout(() => {
            reply(
              request,
              response,
              { protocolVersion: '2025-11-25', capabilities: {} },
              { 'mcp-session-id': 'late' },
            )
          }, 50)
        },
      },
    })
    await using gateway = await startMcpRoutes({
      bad: { targets: [httpTarget('late', late.url), httpTarget('bad', 'http://127.0.0.1:1/mcp')] },
    })
    assert.equal((await gateway.client('bad').open()).response?.error?.code, -32_603)
    assert.equal((await late.nextRequestOf('DELETE')).headers['mcp-session-id'], 'late')
  })

  test('expire without requests, even if the client listens', async () => {
    await using gateway = await startMcpRoutes(
      { stdio: { targets: [cheapTarget('sh', `${mark} idle`)] } },
      { ...config, mcp: { sessionTtl: '5s' } },
    )
    const client = gateway.client('stdio')
    await client.open()
    const stream = await client.listen()
    assert.equal(stream.status, 200)
    assert.equal(processesMarked(`${mark} idle`).length, 1)
    assert.equal(await stream.next(), undefined)
    const told = await client.request('tools/list')
    assert.deepEqual([told.status, told.text], [404, UNKNOWN])
    await until(() => processesMarked(`${mark} idle`).length === 0)
  })
})
