import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { conformance } from '../support/mcp/conformance.ts'
import { startEverything } from '../support/mcp/everything-server.ts'

/** The conformance suite must pass against its own fixture before it can test gateways. */
suite('the conformance fixture, without a gateway', { concurrency: true }, () => {
  test('passes every check of 2025-11-25', async () => {
    await using server = await startEverything()
    const { passed, failed, warned, because } = await conformance(server.url, '2025-11-25')
    assert.deepEqual(failed, [], JSON.stringify(because))
    assert.deepEqual(warned, [])
    assert.equal(passed.length, 84)
  })

  test('passes every check of 2026-07-28', async () => {
    await using server = await startEverything()
    const { passed, failed, warned, because } = await conformance(server.url, '2026-07-28')
    assert.deepEqual(failed, [], JSON.stringify(because))
    assert.deepEqual(warned, [])
    assert.equal(passed.length, 197)
  })
})
