import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { startEverything } from '../../support/mcp/everything-server.ts'
import { exerciseV1 } from '../../support/mcp/exercise-v1.ts'
import { exerciseV2 } from '../../support/mcp/exercise-v2.ts'
import { everythingTarget, httpTarget, sseTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'

/** Official clients get the same through the gateway as without it. */
suite('official clients through the gateway', { concurrency: 2 }, () => {
  const streamable = (url: string) => new StreamableHTTPClientTransport(new URL(url))

  test('get the same by streamable HTTP (first SDK)', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    assert.deepEqual(await exerciseV1(streamable(gateway.url)), await exerciseV1(streamable(server.url)))
  })

  test('get the same by HTTP+SSE, in front of either transport (first SDK)', async () => {
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

  test('get the same from a stdio server (first SDK)', async () => {
    await using server = await startEverything()
    await using gateway = await startMcpDaemon([everythingTarget('everything')])
    assert.deepEqual(await exerciseV1(streamable(gateway.url)), await exerciseV1(streamable(server.url)))
  })

  for (const mode of ['legacy', 'auto', { pin: '2026-07-28' }] as const)
    test(`get the same (second SDK), negotiating ${JSON.stringify(mode)}`, async () => {
      await using server = await startEverything()
      await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
      assert.deepEqual(same(await exerciseV2(gateway.url, mode)), same(await exerciseV2(server.url, mode)))
    })

  test('get the same from a server without handshakes (first SDK)', async () => {
    await using server = await startEverything({ era: 'modern' })
    await using both = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    // Only the newer revision uses the same error code for a missing resource and for any wrong parameter.
    const { missing: _code, ...direct } = await exerciseV1(streamable(both.url))
    const { missing: _other, ...bridged } = await exerciseV1(streamable(gateway.url))
    assert.deepEqual(same(bridged), same(direct))
  })

  test('get the same from a server with handshakes only (second SDK)', async () => {
    await using server = await startEverything({ era: 'legacy' })
    await using both = await startEverything()
    await using gateway = await startMcpDaemon([httpTarget('everything', server.url)])
    const mode = { pin: '2026-07-28' }
    assert.deepEqual(same(await exerciseV2(gateway.url, mode)), same(await exerciseV2(both.url, mode)))
  })
})

/** Removes what a gateway may decide itself: the lifetime of a list and the server info. */
const same = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (key, inner: unknown) =>
      ['ttlMs', 'cacheScope', '_meta', 'resultType'].includes(key) ? undefined : inner,
    ),
  ) as unknown
