import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { exerciseV1 } from '../../support/mcp/exercise-v1.ts'
import { exerciseV2 } from '../../support/mcp/exercise-v2.ts'
import { everythingTarget, httpTarget, sseTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

/** What the official clients see through the gateway is what they see without it. */
suite('official clients through the gateway', { concurrency: 2 }, () => {
  const streamable = (url: string) => new StreamableHTTPClientTransport(new URL(url))

  test('the first SDK sees the same by streamable HTTP', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    assert.deepEqual(await exerciseV1(streamable(gateway.url)), await exerciseV1(streamable(server.url)))
  })

  test('the first SDK sees the same by the older transport, in front of either', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    await using older = await startMcpDaemon([sseTarget('everything', server.origin)])
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the older transport is what this is about
    const stream = (origin: string) => new SSEClientTransport(new URL(`${origin}/sse`))
    const direct = await exerciseV1(stream(server.origin))
    assert.deepEqual(await exerciseV1(stream(gateway.origin)), direct)
    assert.deepEqual(await exerciseV1(stream(older.origin)), direct)
    assert.deepEqual(await exerciseV1(streamable(older.url)), direct)
  })

  test('the first SDK sees the same of a server that is a program', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([everythingTarget('everything')])
    assert.deepEqual(await exerciseV1(streamable(gateway.url)), await exerciseV1(streamable(server.url)))
  })

  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }] as const)
    test(`the second SDK sees the same, negotiating ${JSON.stringify(mode)}`, async () => {
      await using server = await startEverything()
      await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
      assert.deepEqual(same(await exerciseV2(gateway.url, mode)), same(await exerciseV2(server.url, mode)))
    })

  test('the first SDK sees the same of a server that knows no handshakes', async () => {
    await using server = await startEverything({ era: 'modern' })
    await using both = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    // Only the newer revision says that a resource is not there by the same code as for any wrong parameter.
    const { missing: _code, ...direct } = await exerciseV1(streamable(both.url))
    const { missing: _other, ...bridged } = await exerciseV1(streamable(gateway.url))
    assert.deepEqual(same(bridged), same(direct))
  })

  test('the second SDK sees the same of a server that knows only handshakes', async () => {
    await using server = await startEverything({ era: 'legacy' })
    await using both = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    const mode = { pin: '2026-07-28' }
    assert.deepEqual(same(await exerciseV2(gateway.url, mode)), same(await exerciseV2(both.url, mode)))
  })
})

/** Without what a gateway may decide for itself: how long a list holds, and who says so. */
const same = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      ['ttlMs', 'cacheScope', '_meta', 'resultType'].includes(key) ? undefined : inner,
    ),
  ) as unknown
