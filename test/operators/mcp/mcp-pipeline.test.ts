import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type Exchange, faultReply, onRequest, rescue, Trace, upstreamOf } from 'agentgateway'
import { mcpBackend, type McpBackendOptions, type McpServer } from 'agentgateway/operators'
import { clientSinks } from 'agentgateway/sinks'
import { listen } from 'agentgateway/streams'
import { demoSum } from '../../support/mcp/demo-sum.ts'
import { RawMcp } from '../../support/mcp/raw-mcp.ts'
import { startUpstream } from '../../support/upstream.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname
const program: McpServer = { name: 'demo', command: process.execPath, args: [demo] }

/** A gateway with MCP servers only. */
const serve = async (servers: readonly McpServer[], options?: McpBackendOptions) => {
  const tools = mcpBackend(servers, options)
  const server = await listen(rescue(tools, faultReply()), {
    port: 0,
    responders: clientSinks,
    trace: new Trace(),
  })
  return {
    url: `${server.url}/mcp`,
    async [Symbol.asyncDispose]() {
      await server.close()
      await tools.close()
    },
  }
}

const namesOf = async (url: string): Promise<readonly string[]> => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  const { tools } = await client.listTools()
  await client.close()
  return tools.map(({ name }) => name).sort()
}

test('mcpBackend', async (t) => {
  await t.test(
    'is an MCP server for clients of both revisions, and ends its processes when it is closed',
    async () => {
      const lines: string[] = []
      {
        await using gateway = await serve([program], { onLine: ({ text }) => lines.push(text) })
        assert.ok((await namesOf(gateway.url)).includes('add'))
        assert.equal(await demoSum(gateway.url), '42')
      }
      // The process of this test exits only without child processes.
      assert.deepEqual(lines, [])
    },
  )

  await t.test('federates processes, servers over HTTP, and OpenAPI documents', async () => {
    await using inner = await serve([program])
    await using pets = await startUpstream((req, res) => {
      res.setHeader('content-type', 'application/json').end(JSON.stringify({ path: req.url }))
    })
    await using there = upstreamOf(new URL(inner.url).origin)
    await using api = upstreamOf(`http://${pets.host}`)
    const passed: (string | undefined)[] = []
    const openapi = {
      openapi: '3.1.0',
      info: { title: 'pets', version: '1' },
      paths: { '/pets': { get: { operationId: 'listPets', responses: {} } } },
    }
    await using gateway = await serve([
      { ...program, name: 'near' },
      {
        name: 'far',
        url: inner.url,
        upstream: there,
        before: onRequest('note', ({ request }) => {
          passed.push(`${request.authority} ${request.path}`)
          return undefined
        }),
      },
      { name: 'pets', url: `http://${pets.host}/v1`, upstream: api, openapi },
    ])
    const names = await namesOf(gateway.url)
    for (const name of ['near_add', 'far_add', 'pets_listPets']) assert.ok(names.includes(name), names.join())
    assert.deepEqual(new Set(passed), new Set([`${new URL(inner.url).host} /mcp`]))
    const client = new RawMcp(gateway.url)
    const { messages } = await client.modern('tools/call', { name: 'pets_listPets', arguments: {} })
    assert.match(JSON.stringify(messages), /\/v1\/pets/)
  })

  await t.test('neither lists nor calls what its rules deny', async () => {
    const noAdd = {
      mode: 'deny',
      text: 'nobody adds',
      expression: ({ protocol: { mcp } }: Exchange) => ({
        value: mcp?.tool?.name === 'add',
      }),
    } as const
    await using gateway = await serve([program], { rules: [noAdd] })
    assert.ok(!(await namesOf(gateway.url)).includes('add'))
    assert.match(JSON.stringify(await demoSum(gateway.url)), /Unknown tool/)
  })

  await t.test('refuses cross-origin requests on loopback by default', async () => {
    const statusOf = async (url: string) =>
      (await fetch(url, { method: 'POST', headers: { origin: 'https://evil.test' }, body: '{}' })).status
    await using guarded = await serve([program])
    assert.equal(await statusOf(guarded.url), 403)
    await using open = await serve([program], { dnsRebindingProtection: false })
    assert.notEqual(await statusOf(open.url), 403)
  })

  await t.test('reports invalid servers', () => {
    const upstream = upstreamOf('http://127.0.0.1:1')
    assert.throws(() => mcpBackend([]), /needs a server/)
    assert.throws(() => mcpBackend([program, program]), /two servers are called "demo"/)
    assert.throws(() => mcpBackend([{ ...program, name: 'A b' }]), /"A b" is no name/)
    assert.throws(() => mcpBackend([{ name: 'a', url: 'nowhere', upstream }]), /"nowhere" is no URL/)
  })
})
