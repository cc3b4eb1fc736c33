import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { suite, test } from 'node:test'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { startEverythingProgram } from '../../support/mcp/everything-program.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { httpTarget } from '../../support/mcp/mcp-daemon.ts'
import { startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { content, type ToyHandler, startToy } from '../../support/mcp/toy-server.ts'

/** Responses of servers to an unknown session id, other than 404. */
const refusals: Readonly<Record<string, string>> = {
  'the official examples': rpc('Bad Request: No valid session ID provided'),
  'the first tutorial': 'Invalid or missing session ID',
  'a server of one session': rpc('Bad Request: Server not initialized'),
  'a server with other words': '{"detail":"Session abc has expired"}',
}

suite('a restarted server', { concurrency: 2 }, () => {
  test('that responds with 400 gets a new handshake, once', async (t) => {
    let words = ''
    const known = new Set<string>()
    const forgetful =
      (deed: ToyHandler): ToyHandler =>
      (request, response) => {
        if (known.has(String(request.headers['mcp-session-id']))) deed(request, response)
        else response.writeHead(400, { 'content-type': 'application/json' }).end(words)
      }
    await using toy = await startToy({
      hasSessions: false,
      handlers: {
        initialize: ({ body }, response) => {
          const session = randomBytes(8).toString('hex')
          known.add(session)
          const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: {} }
          response
            .writeHead(200, { 'content-type': 'application/json', 'mcp-session-id': session })
            .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
        },
        add: forgetful(({ body }, response) => {
          const result = content('add done')
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, result }))
        }),
        // An error of the request itself, not of the session.
        bad: ({ body }, response) => {
          const error = { code: -32_602, message: 'argument city is missing' }
          response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id: body.id, error }))
        },
      },
    })
    await using other = await startToy({ tools: ['add'] })
    const key = { session: { key: '0123456789abcdef'.repeat(4) } }
    const routes = {
      one: { targets: [httpTarget('toy', toy.url)] },
      two: { targets: [httpTarget('toy', toy.url), httpTarget('other', other.url)] },
    }
    await using gateway = await startMcpRoutes(routes, key)
    await using there = await startMcpRoutes(routes, key)
    for (const [who, said] of Object.entries(refusals))
      await t.test(`with the text of ${who}`, async () => {
        words = said
        for (const [route, prefix] of [
          ['one', ''],
          ['two', 'toy_'],
        ] as const) {
          const client = gateway.client(route)
          await client.open()
          const call = () => client.request('tools/call', { name: `${prefix}add` })
          assert.deepEqual((await call()).response?.result, content('add done'))
          known.clear()
          const from = toy.requestsOf('initialize').length
          for (let i = 0; i < 2; i++)
            assert.deepEqual((await call()).response?.result, content('add done'), route)
          assert.equal(toy.requestsOf('initialize').length - from, 1)
          const before = toy.requestsOf('bad').length
          const bad = await client.request('tools/call', { name: `${prefix}bad` })
          assert.deepEqual(bad.response?.error?.code, -32_602)
          assert.equal(toy.requestsOf('bad').length - before, 1)
          assert.equal(toy.requestsOf('initialize').length - from, 1)
        }
        // A session that was lost on another replica is reported: it may have been ended there.
        const client = gateway.client('one')
        await client.open()
        const moved = new McpCaller(there.url('one'), { ...client.fields })
        assert.deepEqual(
          (await moved.request('tools/call', { name: 'add' })).response?.result,
          content('add done'),
        )
        known.clear()
        const over = await moved.request('tools/call', { name: 'add' })
        assert.equal(over.status, 404, over.text)
      })
  })

  test('that never accepts the session is retried once only', async () => {
    await using toy = await startToy({
      handlers: { add: (_, response) => response.writeHead(400).end('No valid session ID provided') },
    })
    await using gateway = await startMcpRoutes({ one: { targets: [httpTarget('toy', toy.url)] } })
    const client = gateway.client('one')
    await client.open()
    const told = await client.request('tools/call', { name: 'add' })
    assert.deepEqual([told.status, told.response?.error?.code], [200, -32_603])
    assert.equal(toy.requestsOf('add').length, 2)
  })

  test('keeps its clients if it is the official one', async () => {
    const first = await startEverythingProgram()
    const { port } = first
    await using toy = await startToy({ tools: ['add'] })
    const target = httpTarget('everything', `http://127.0.0.1:${port}/mcp`)
    await using gateway = await startMcpRoutes({
      one: { targets: [target] },
      two: { targets: [target, httpTarget('toy', toy.url)] },
    })
    const clients = await Promise.all(
      ['one', 'two'].map(async (route) => {
        const client = new Client2({ name: 'c', version: '1' }, { versionNegotiation: { mode: 'legacy' } })
        await client.connect(new Transport2(new URL(gateway.url(route))))
        return { client, name: route === 'one' ? 'echo' : 'everything_echo' }
      }),
    )
    await first[Symbol.asyncDispose]()
    await using _second = await startEverythingProgram(port)
    for (const { client, name } of clients) {
      const { content: said } = await client.callTool({ name, arguments: { message: 'again' } })
      assert.deepEqual(said, [{ type: 'text', text: 'Echo: again' }])
      await client.close()
    }
  })
})

function rpc(message: string): string {
  return JSON.stringify({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
}
