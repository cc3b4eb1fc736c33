import assert from 'node:assert/strict'
import { Agent } from 'node:http'
import { suite, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { countedStarts } from '../../support/mcp/counted-starts.ts'
import { McpCaller, type Sending, type McpResponse } from '../../support/mcp/mcp-caller.ts'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { until } from '../../support/mcp/stdio-fixture.ts'

/** Each request has a connection of its own, unless an agent is given. */
const call = (client: McpCaller, name: string, sending: Sending = {}): Promise<McpResponse> =>
  client.requestModern('tools/call', { name, arguments: {} }, {}, sending)

const textOf = ({ response: answer, text }: McpResponse): unknown => {
  const content = answer?.result?.content as readonly { readonly text: string }[] | undefined
  assert.ok(content, text)
  return content[0]?.text
}

const namesIn = ({ response: answer, text }: McpResponse): readonly string[] => {
  const tools = answer?.result?.tools as readonly { readonly name: string }[] | undefined
  assert.ok(tools, text)
  return tools.map(({ name }) => name)
}

/** The official client, which tries the newest revision first. */
const countWithAuto = async (url: string): Promise<readonly unknown[]> => {
  const client = new Client({ name: 'auto', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL(url)))
  try {
    const counts: unknown[] = []
    for (let i = 0; i < 3; i++) {
      const { content } = await client.callTool({ name: 'count', arguments: {} })
      counts.push((content as readonly { readonly text?: string }[])[0]?.text)
    }
    return counts
  } finally {
    await client.close()
  }
}

suite(
  'a stdio server of an older revision, for anonymous clients without sessions',
  { concurrency: 2 },
  () => {
    test('is not started for known lists, even with many clients on new connections', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one')])
      const client = new McpCaller(gateway.url)
      for (let i = 0; i < 5; i++) {
        const discovered = await client.requestModern('server/discover')
        assert.deepEqual(discovered.response?.result?.capabilities, { tools: { listChanged: true } })
        assert.deepEqual(namesIn(await client.requestModern('tools/list')), ['count', 'grow'])
      }
      assert.deepEqual([counted.starts(), counted.lists()], [1, 1])
    })

    test('is not started for known lists, whatever log level a client requests', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one')])
      const client = new McpCaller(gateway.url)
      const params = { _meta: { 'io.modelcontextprotocol/logLevel': 'debug' } }
      for (let i = 0; i < 5; i++)
        assert.deepEqual(namesIn(await client.requestModern('tools/list', params)), ['count', 'grow'])
      assert.deepEqual([counted.starts(), counted.lists()], [1, 1])
    })

    test('is kept ready, so that the next client gets an unused one', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one')])
      const client = new McpCaller(gateway.url)
      await client.requestModern('tools/list')
      for (let i = 1; i <= 3; i++) {
        assert.equal(textOf(await call(client, 'count')), '1')
        // The call used the spare process, and another one replaces it.
        await until(() => counted.starts() === 1 + i)
      }
    })

    test('is started for each client if none is kept ready', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { minIdle: 0 })])
      const client = new McpCaller(gateway.url)
      assert.equal(textOf(await call(client, 'count')), '1')
      assert.equal(textOf(await call(client, 'count')), '1')
      assert.equal(counted.starts(), 2)
    })

    test('is asked for its list again when the list changes', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one')])
      const client = new McpCaller(gateway.url)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      await client.requestModern('tools/list')
      await call(client, 'grow', { agent })
      const own = namesIn(await client.requestModern('tools/list', {}, {}, { agent }))
      assert.deepEqual(own, ['count', 'grow', 'more2'])
      // The list of another process has not grown.
      assert.deepEqual(namesIn(await client.requestModern('tools/list')), ['count', 'grow'])
      assert.equal(counted.lists(), 3)
      agent.destroy()
    })

    test('in mode shared keeps one state for all of them, apart from identified clients', async () => {
      using counted = countedStarts()
      const keys = ['ann', 'bob'].map((key) => ({ key, metadata: { user: key } }))
      await using gateway = await startMcpDaemon([counted.target('one', { legacy: 'shared' })], {
        policies: { apiKey: { mode: 'optional', keys } },
      })
      const client = new McpCaller(gateway.url)
      const counts = await Promise.all(
        Array.from({ length: 5 }, async () => textOf(await call(client, 'count'))),
      )
      assert.deepEqual(counts.toSorted(), ['1', '2', '3', '4', '5'])
      for (const key of ['ann', 'bob']) {
        const known = new McpCaller(gateway.url, { authorization: `Bearer ${key}` })
        assert.equal(textOf(await call(known, 'count')), '1')
        assert.equal(textOf(await call(known, 'count')), '2')
      }
      assert.equal(textOf(await call(client, 'count')), '6')
      assert.equal(counted.starts(), 3)
    })

    test('in mode shared keeps running when one client leaves', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { legacy: 'shared' })])
      const client = new McpCaller(gateway.url)
      assert.equal(textOf(await call(client, 'count')), '1')
      const stream = await client.streamModern('tools/call', { name: 'wait', arguments: {} })
      stream.leave()
      assert.equal(textOf(await call(client, 'count')), '2')
      assert.equal(counted.starts(), 1)
    })

    test('in mode off serves clients with sessions only, which both SDKs support', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { legacy: 'off' })])
      const client = new McpCaller(gateway.url)
      for (const method of ['server/discover', 'tools/list']) {
        const refused = await client.requestModern(method)
        assert.equal(refused.status, 400)
        assert.equal(refused.response?.error?.code, -32022)
        const { supported } = refused.response.error.data as { readonly supported: readonly string[] }
        assert.deepEqual(supported, ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])
      }
      assert.deepEqual(await countWithAuto(gateway.url), ['1', '2', '3'])
    })

    test('keeps its state for the connection of a client', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { legacy: 'sessionPerCaller' })])
      const client = new McpCaller(gateway.url)
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const counts: unknown[] = []
      for (let i = 0; i < 3; i++) counts.push(textOf(await call(client, 'count', { agent })))
      assert.deepEqual(counts, ['1', '2', '3'])
      agent.destroy()
    })

    test('in mode shared keeps its state for a client that tries the newest revision first', async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { legacy: 'shared' })])
      assert.deepEqual(await countWithAuto(gateway.url), ['1', '2', '3'])
    })
  },
)
