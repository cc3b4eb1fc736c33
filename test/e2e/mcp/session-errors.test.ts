import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { Client as Client2, StreamableHTTPClientTransport as Transport2 } from '@modelcontextprotocol/client'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { command } from '../../support/command.ts'
import { httpTarget, programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { type McpRoutes, startMcpRoutes } from '../../support/mcp/mcp-routes.ts'
import { pythonWithMcp } from '../../support/mcp/python-with-mcp.ts'
import { startToy, type ToyHandler, type ToyServer } from '../../support/mcp/toy-server.ts'

const mortal = new URL('../../support/mcp/crashing-program.ts', import.meta.url).pathname
const mortalTarget = (name: string) => programTarget(name, '--conditions=agentgateway-source', mortal)

/** The result of a tool call: its text, or the code and the message of its error. */
type Call = (name: string) => Promise<unknown>

suite('errors of requests in sessions', { concurrency: 2 }, () => {
  let toy: ToyServer
  let gateway: McpRoutes
  before(async () => {
    const page: ToyHandler = (_, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello')
    toy = await startToy({
      tools: ['fine', 'hidden', 'broken', 'limited', 'cut', 'html', 'slow'],
      handlers: {
        broken: (_, response) => response.writeHead(500, { 'content-type': 'text/plain' }).end('oh no'),
        limited: (_, response) => response.writeHead(429, { 'retry-after': '7' }).end(),
        locked: (_, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end(),
        cut: (_, response) => response.destroy(),
        html: page,
        again: page,
        slow: () => undefined,
        lost: (_, response) => response.writeHead(404).end('no such page'),
      },
    })
    const policies = { mcpAuthorization: { rules: [{ deny: 'mcp.tool.name == "hidden"' }] } }
    const dead = httpTarget('dead', 'http://127.0.0.1:1/mcp')
    gateway = await startMcpRoutes({
      one: { targets: [httpTarget('toy', toy.url)], policies },
      program: { targets: [mortalTarget('child')], policies },
      both: { targets: [httpTarget('toy', toy.url), mortalTarget('child')], policies },
      stateless: { targets: [httpTarget('toy', toy.url)], policies, mcp: { statefulMode: 'stateless' } },
      dead: { targets: [dead] },
      late: { targets: [httpTarget('toy', toy.url)], policies: { timeout: { requestTimeout: '1s' } } },
      retried: { targets: [httpTarget('toy', toy.url)], policies: { retry: { attempts: 2, codes: [502] } } },
    })
  })
  after(async () => {
    await gateway[Symbol.asyncDispose]()
    await toy[Symbol.asyncDispose]()
  })

  const first = async (transport: Transport): Promise<readonly [Call, () => Promise<void>]> => {
    const client = new Client({ name: 'first', version: '1' })
    await client.connect(transport)
    return [(name) => outcome(client.callTool({ name })), () => client.close()]
  }
  const clients: Readonly<Record<string, (route: string) => Promise<readonly [Call, () => Promise<void>]>>> =
    {
      'the first SDK': (route) => first(new StreamableHTTPClientTransport(new URL(gateway.url(route)))),
      'the second SDK': async (route) => {
        const client = new Client2(
          { name: 'second', version: '1' },
          { versionNegotiation: { mode: 'legacy' } },
        )
        await client.connect(new Transport2(new URL(gateway.url(route))))
        return [(name) => outcome(client.callTool({ name, arguments: {} })), () => client.close()]
      },
    }

  for (const [who, open] of Object.entries(clients)) {
    test(`do not end the session of ${who} with one server`, async () => {
      const [call, close] = await open('one')
      assert.deepEqual(await call('hidden'), [-32_602, 'Unknown tool: hidden'])
      assert.deepEqual(await call('broken'), [-32_603, 'mcp: target toy answered with status 500'])
      assert.deepEqual(await call('limited'), [-32_603, 'mcp: target toy answered with status 429'])
      assert.deepEqual(await call('lost'), [-32_603, 'mcp: target toy answered with status 404'])
      assert.match(String(await call('cut')), /^-32603,mcp: target toy: /)
      assert.match(String(await call('html')), /^-32603,mcp: target toy answered with text\/html/)
      assert.equal(await call('fine'), 'fine done')
      await close()
    })

    test(`do not end the session of ${who} with a stdio server that dies`, async () => {
      const [call, close] = await open('program')
      assert.match(String(await call('die')), /^-32603,mcp: target child ended with exit code 7/)
      assert.equal(await call('fine'), 'fine done')
      assert.deepEqual(await call('hidden'), [-32_602, 'Unknown tool: hidden'])
      await close()
    })

    test(`do not end the session of ${who} with several servers`, async () => {
      const [call, close] = await open('both')
      for (const name of ['nothing', 'nobody_x', 'child_hidden', 'toy_hidden'])
        assert.match(String(await call(name)), /^-32602,Unknown tool: /, name)
      assert.match(String(await call('child_die')), /^-32603,mcp: target child ended with exit code 7/)
      assert.match(String(await call('toy_broken')), /^-32603,mcp: target toy answered with status 500$/)
      assert.equal(await call('toy_fine'), 'fine done')
      assert.equal(await call('child_fine'), 'fine done')
      await close()
    })
  }

  test('do not end the session of an HTTP+SSE client', async () => {
    await using daemon = await startMcpDaemon([httpTarget('toy', toy.url), mortalTarget('child')])
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the older transport is what this is about
    const [call, close] = await first(new SSEClientTransport(new URL('/sse', daemon.origin)))
    assert.match(String(await call('child_die')), /^-32603,/)
    assert.match(String(await call('toy_broken')), /^-32603,/)
    assert.match(String(await call('nobody_x')), /^-32602,Unknown tool: nobody_x$/)
    assert.equal(await call('child_fine'), 'fine done')
    await close()
  })

  test('do not end the session of the Python client', async (t) => {
    const python = await pythonWithMcp()
    if (python === undefined) {
      t.skip('there is no Python with the package `mcp` (name one in MCP_PYTHON)')
      return
    }
    const names = ['nothing', 'toy_hidden', 'toy_broken', 'toy_cut', 'child_die', 'toy_fine', 'child_fine']
    const { status, stdout, stderr } = await command(python, ['-c', script, gateway.url('both'), ...names])
    assert.equal(status, 0, stderr)
    const codes = [-32_602, -32_602, -32_603, -32_603, -32_603]
    assert.deepEqual(JSON.parse(stdout), [...codes, 'fine done', 'fine done'])
  })

  test('are one JSON message with status 200 for every revision with sessions', async () => {
    for (const version of ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      for (const route of ['one', 'stateless']) {
        const client = gateway.client(route)
        await client.open({}, version)
        for (const [name, code] of [
          ['hidden', -32_602],
          ['broken', -32_603],
          ['cut', -32_603],
        ] as const) {
          const { status, headers, messages } = await client.request('tools/call', { name })
          const where = `${version} ${route} ${name}`
          assert.deepEqual([status, headers['content-type']], [200, 'application/json'], where)
          assert.deepEqual([messages[0]?.error?.code, messages[0]?.id], [code, client.lastId], where)
        }
      }
  })

  test('contain the response of the server, and its retry-after', async () => {
    const client = gateway.client('one')
    await client.open()
    const broken = await client.request('tools/call', { name: 'broken' })
    assert.deepEqual(broken.response?.error?.data, { status: 500, body: 'oh no' })
    const limited = await client.request('tools/call', { name: 'limited' })
    assert.deepEqual(limited.response?.error?.data, { status: 429, retryAfter: '7' })
    assert.equal(limited.headers['retry-after'], '7')
  })

  test('stay HTTP errors if they are about credentials', async () => {
    const client = gateway.client('one')
    await client.open()
    const locked = await client.request('tools/call', { name: 'locked' })
    assert.deepEqual([locked.status, locked.headers['www-authenticate']], [401, 'Bearer'])
  })

  test('stay HTTP errors in 2026-07-28', async () => {
    const unknown = await gateway.client('one').requestModern('tools/call', { name: 'hidden' })
    assert.deepEqual([unknown.status, unknown.response?.error?.code], [400, -32_602])
    const broken = await gateway.client('one').requestModern('tools/call', { name: 'broken' })
    assert.deepEqual([broken.status, broken.text], [500, 'oh no'])
  })

  test('of a handshake have status 200 too', async () => {
    const dead = await gateway.client('dead').open()
    assert.deepEqual([dead.status, dead.response?.error?.code, dead.session], [200, -32_603, ''])
  })

  test('include the timeout of the route', async () => {
    const client = gateway.client('late')
    await client.open()
    const late = await client.request('tools/call', { name: 'slow' })
    assert.deepEqual(
      [late.status, late.response?.error],
      [200, { code: -32_603, message: 'request timeout' }],
    )
    assert.equal(late.response?.id, client.lastId)
    await gateway.daemon.printed(/http\.status=200 .*mcp\.error\.code=-32603.*reason=Timeout/)
  })

  test('are still retried by the status of the server', async () => {
    const client = gateway.client('retried')
    await client.open()
    const told = await client.request('tools/call', { name: 'again' })
    assert.deepEqual([told.status, told.response?.error?.code], [200, -32_603])
    assert.equal(toy.requestsOf('again').length, 3)
  })
})

const outcome = async (called: Promise<unknown>): Promise<unknown> => {
  try {
    const { content } = (await called) as { readonly content: readonly { readonly text: string }[] }
    return content[0]?.text
  } catch (error) {
    const { code, message } = error as { readonly code: unknown; readonly message: string }
    return [code, message.replace(/^MCP error -\d+: /, '')]
  }
}

const script = `
import asyncio, json, sys
from mcp import Client

async def main(url, names):
    seen = []
    async with Client(url, mode="legacy") as client:
        for name in names:
            try:
                result = await client.call_tool(name, {})
                seen.append(result.content[0].text)
            except Exception as error:
                seen.append(error.error.code)
    print(json.dumps(seen))

asyncio.run(main(sys.argv[1], sys.argv[2:]))
`
