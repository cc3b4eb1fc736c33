import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { programTarget, startMcpDaemon } from '../../support/mcp/mcp-daemon.ts'
import { initialize } from '../../support/mcp/plain-client.ts'

const demo = new URL('../../../config/demo-mcp-server.js', import.meta.url).pathname

suite('servers that are programs', { concurrency: 2 }, () => {
  test('are no more of one target than is configured, and more again when one has ended', async () => {
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
    // It has until it is killed to be gone.
    const deadline = performance.now() + 60_000
    let session: string | undefined
    while (session === undefined && performance.now() < deadline)
      session = await initialize(gateway.url).catch((error: unknown) => {
        assert.match(String(error), /at the limit of 2/)
        return undefined
      })
    assert.ok(session)
  })

  test('are no more in all than is configured', async () => {
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
