import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { countedStarts } from '../../support/mcp/counted-starts.ts'
import { McpCaller } from '../../support/mcp/mcp-caller.ts'
import { startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

suite('stdio servers of older revisions, for a client without a session', { concurrency: 2 }, () => {
  test('are started once each for the first list, without a separate start for discovery', async () => {
    using counted = countedStarts()
    const names = ['one', 'two', 'three']
    await using gateway = await startMcpDaemon(names.map((name) => counted.target(name, { minIdle: 0 })))
    const listed = await new McpCaller(gateway.url).requestModern('tools/list')
    const tools = listed.response?.result?.tools as readonly { readonly name: string }[]
    assert.deepEqual(
      tools.map(({ name }) => name),
      names.flatMap((name) => [`${name}_count`, `${name}_grow`]),
    )
    assert.equal(counted.starts(), names.length)
  })

  for (const way of ['spoils', 'falls silent'])
    test(`are restarted if they do not support discovery before the handshake: ${way}`, async () => {
      using counted = countedStarts()
      await using gateway = await startMcpDaemon([counted.target('one', { minIdle: 0 }, way)])
      const called = await new McpCaller(gateway.url).requestModern('tools/call', {
        name: 'count',
        arguments: {},
      })
      assert.deepEqual(called.response?.result?.content, [{ type: 'text', text: '1' }])
      assert.equal(counted.starts(), 2)
    })
})
