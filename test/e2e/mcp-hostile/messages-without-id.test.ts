import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { McpCaller, type McpResponse } from '../../support/mcp/mcp-caller.ts'
import { httpTarget, programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { respondEvents } from '../../support/mcp/scripted-server.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'
import { content, startToy, type ToyServer } from '../../support/mcp/toy-server.ts'

const call = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'drop', arguments: {} } }
const sampling = { jsonrpc: '2.0', method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } }
const custom = { jsonrpc: '2.0', method: 'notifications/x-custom', params: { a: 1 } }

/** Responds to every request, and sends an invalid message before each response. */
const forward = `
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line)
  if (method === 'tools/call') {
    console.log('${JSON.stringify(sampling)}')
    console.log('${JSON.stringify(custom)}')
  }
  const results = {
    initialize: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } },
    'tools/list': { tools: [{ name: 'ask', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'asked' }] },
  }
  if (id === undefined) return
  const result = results[method]
  console.log(JSON.stringify(result ? { jsonrpc: '2.0', id, result } : { jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }))
})`

suite('a message without an id', () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    toy = await startToy({
      tools: ['drop', 'ask'],
      handlers: {
        ask: ({ body }, response) => {
          respondEvents(response, sampling, custom, { jsonrpc: '2.0', id: body.id, result: content('asked') })
          response.end()
        },
      },
    })
    const one = [httpTarget('toy', toy.url)]
    const mcpAuthorization = { rules: [{ deny: 'mcp.tool.name == "drop"' }] }
    const processors = [{ kind: 'remote', host: '127.0.0.1:1', methods: { '*': 'full' } }]
    gateway = await startMcpRoutes({
      plain: { targets: one },
      ruled: { targets: one, policies: { mcpAuthorization } },
      guarded: { targets: one, policies: { mcpGuardrails: { processors } } },
      limited: {
        targets: one,
        policies: { authorization: { rules: [{ deny: 'has(mcp.tool) && mcp.tool.name == "drop"' }] } },
      },
      stateless: { targets: one, mcp: { statefulMode: 'stateless' } },
      two: { targets: [...one, httpTarget('second', toy.url)] },
      program: { targets: [programTarget('forward', '-e', forward)] },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })

  const opened = async (route: string, version?: string): Promise<McpCaller> => {
    const client = gateway.client(route)
    await client.open({}, version)
    return client
  }
  const refused = (told: McpResponse): void => {
    const shown = `${told.status} ${told.text}`
    assert.equal(told.status, 400, shown)
    assert.equal(told.headers['content-type'], 'application/json', shown)
    assert.equal(told.response?.error?.code, -32_600, shown)
    assert.equal(told.response.id, null, shown)
  }
  /** Whatever was forwarded has arrived before this response. */
  const seen = async (client: McpCaller): Promise<readonly unknown[]> => {
    await client.request('tools/list')
    return toy.requests.map(({ body }) => body.method).filter((method) => method === 'tools/call')
  }

  for (const route of ['plain', 'ruled', 'guarded', 'limited', 'stateless', 'two'])
    test(`is forwarded only if it is a notification: ${route}`, async () => {
      const client = route === 'guarded' ? gateway.client(route) : await opened(route)
      if (route === 'guarded') await client.open()
      for (const message of [
        call,
        { ...call, id: null },
        { jsonrpc: '2.0' },
        { jsonrpc: '2.0', params: { name: 'drop' } },
        { jsonrpc: '2.0', result: {} },
        { jsonrpc: '2.0', method: 'notification/x' },
        { jsonrpc: '2.0', method: 'Notifications/x' },
      ])
        refused(await client.send(message))
      assert.deepEqual(await seen(client), [])
    })

  test('is refused for clients without sessions', async () => {
    const client = gateway.client('ruled')
    const fields = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': 'drop' }
    const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' }
    refused(await client.send({ ...call, params: { ...call.params, _meta: meta } }, { fields }))
    refused(await client.send({ ...call, params: { ...call.params, _meta: meta } }))
    assert.equal((await client.send(custom, { fields })).status, 202)
  })

  test('invalidates its batch', async () => {
    const client = await opened('ruled', '2025-03-26')
    const list = { jsonrpc: '2.0', id: 7, method: 'tools/list' }
    for (const batch of [[call], [list, call], [custom, list, call, list]]) refused(await client.send(batch))
    assert.equal((await client.send([custom, list])).status, 200)
    assert.deepEqual(await seen(client), [])
  })

  test('is refused over HTTP+SSE', async () => {
    await using older = await startMcpDaemon([httpTarget('toy', toy.url)])
    const client = new McpCaller(`${older.origin}/sse`)
    const stream = await client.listen()
    await until(() => stream.text.includes('\n\n'))
    const [, path = ''] = /data: (\S+)/.exec(stream.text) ?? []
    refused(await client.send(call, { path }))
    refused(await client.send({ ...call, id: null }, { path }))
    stream.leave()
  })

  test('is forwarded if it is a notification, known or not', async () => {
    const client = await opened('plain')
    const before = toy.requestsOf('notifications/x-custom').length
    assert.equal((await client.send(custom)).status, 202)
    await toy.nextRequestOf('notifications/x-custom', before + 1)
    assert.deepEqual(toy.requestsOf('notifications/x-custom').at(-1)?.body.params, { a: 1 })
  })

  for (const route of ['plain', 'program'])
    test(`of a server does not reach the client: ${route}`, async () => {
      const client = await opened(route)
      const told = await client.request('tools/call', { name: 'ask', arguments: {} })
      const methods = told.messages.flatMap(({ method }) => method ?? [])
      assert.deepEqual(methods, ['notifications/x-custom'], told.text)
      assert.deepEqual(told.response?.result, content('asked'))
    })
})
