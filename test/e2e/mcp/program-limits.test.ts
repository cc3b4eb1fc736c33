import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { initialize } from '../../support/mcp/plain-client.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

suite('stdio servers', { concurrency: 2 }, () => {
  test('are limited per target, and are available again when one has ended', async () => {
    await using gateway = await startMcpDaemon([programTarget('demo', demo)], {
      config: { mcp: { maxProgramsPerTarget: 2 } },
    })
    const [first] = await Promise.all([initialize(gateway.url), initialize(gateway.url)])
    await assert.rejects(
      initialize(gateway.url),
      /no session: 200 .*target demo is at the limit of 2 running server processes/,
    )
    const ended = await fetch(gateway.url, { method: 'DELETE', headers: { 'mcp-session-id': first } })
    assert.equal(ended.status, 200)
    // It is gone when it has been killed at the latest.
    const deadline = performance.now() + 60_000
    let session: string | undefined
    while (session === undefined && performance.now() < deadline)
      session = await initialize(gateway.url).catch((error: unknown) => {
        assert.match(String(error), /at the limit of 2/)
        return undefined
      })
    assert.ok(session)
  })

  test('are limited in total', async () => {
    await using gateway = await startMcpDaemon([programTarget('one', demo), programTarget('two', demo)], {
      config: { mcp: { maxPrograms: 3 } },
    })
    await initialize(gateway.url)
    await assert.rejects(
      initialize(gateway.url),
      /no session: 200 .*all targets together are at the limit of 3 running server processes/,
    )
  })
})
