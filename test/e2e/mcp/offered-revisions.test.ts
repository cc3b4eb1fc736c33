import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { countedStarts } from '../../support/mcp/counted-starts.ts'
import { McpCaller, type McpResponse } from '../../support/mcp/mcp-caller.ts'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

const supportedIn = ({ response: answer, text }: McpResponse): unknown => {
  assert.equal(answer?.error?.code, -32022, text)
  return (answer.error.data as { readonly supported?: unknown }).supported
}

const older = ['2025-03-26', '2025-06-18']

suite('protocolVersions of a backend', { concurrency: 2 }, () => {
  test('without the newest refuses its requests, so that clients fall back to older ones', async () => {
    using counted = countedStarts()
    await using gateway = await startMcpDaemon([counted.target('one')], { mcp: { protocolVersions: older } })
    const client = new McpCaller(gateway.url)
    for (const method of ['server/discover', 'tools/list', 'tools/call']) {
      const refused = await client.requestModern(method, { name: 'count' })
      assert.equal(refused.status, 400)
      assert.deepEqual(supportedIn(refused), older)
    }
    // The version may be in the message only.
    const unsaid = await client.requestModern('tools/list', {}, {}, { without: ['mcp-protocol-version'] })
    assert.equal(unsaid.status, 400)
    assert.equal(counted.starts(), 0)
    const auto = new Client({ name: 'auto', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
    await auto.connect(new StreamableHTTPClientTransport(new URL(gateway.url)))
    assert.equal((await auto.listTools()).tools.length, 2)
    await auto.close()
  })

  test('limits the reply to initialize and the accepted headers', async () => {
    using counted = countedStarts()
    await using gateway = await startMcpDaemon([counted.target('one')], { mcp: { protocolVersions: older } })
    const agreed = {
      '2024-11-05': '2025-03-26',
      '2025-03-26': '2025-03-26',
      '2025-06-18': '2025-06-18',
      '2025-11-25': '2025-06-18',
      '2026-07-28': '2025-06-18',
      unknown: '2025-06-18',
    }
    for (const [wanted, expected] of Object.entries(agreed)) {
      const client = new McpCaller(gateway.url)
      const opened = await client.open({}, wanted)
      assert.equal(opened.response?.result?.protocolVersion, expected, wanted)
      const listed = await client.request('tools/list')
      assert.equal(listed.status, 200, listed.text)
      const fields = { 'mcp-protocol-version': '2025-11-25' }
      const refused = await client.request('tools/list', {}, { fields })
      assert.equal(refused.status, 400)
      assert.deepEqual(supportedIn(refused), older)
      const ended = await client.send(undefined, { method: 'DELETE', fields })
      assert.equal(ended.status, 400)
      assert.equal((await client.send(undefined, { method: 'DELETE' })).status, 200)
    }
  })

  test('without older ones begins no session', async () => {
    using counted = countedStarts()
    await using gateway = await startMcpDaemon([counted.target('one')], {
      mcp: { protocolVersions: ['2026-07-28'] },
    })
    const client = new McpCaller(gateway.url)
    assert.deepEqual(supportedIn(await client.open()), ['2026-07-28'])
    const discovered = await client.requestModern('server/discover')
    assert.deepEqual(discovered.response?.result?.supportedVersions, ['2026-07-28'])
    const listed = await client.requestModern('tools/list')
    assert.equal((listed.response?.result?.tools as readonly unknown[]).length, 2)
  })
})
