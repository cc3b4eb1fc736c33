import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SharedTransport } from '../../../../src/operators/mcp/servers/shared-transport.ts'
import type { McpStdio } from '../../../../src/model/mcp/mcp-backend.ts'
import { noHttpContext } from '../../../../src/operators/mcp/servers/inner-exchange.ts'
import type { CallSink } from '../../../../src/upstream/mcp/transport.ts'
import { StdioTransport } from '../../../../src/upstream/mcp/stdio/transport.ts'
import { ChildCount } from '../../../../src/upstream/mcp/stdio/child-limits.ts'
import { StdioBackoff } from '../../../../src/upstream/mcp/stdio/restart-backoff.ts'

const idleMs = 60_000
/** Reads its input to the end and never responds. */
const program: McpStdio = {
  kind: 'stdio',
  command: process.execPath,
  args: ['-e', 'process.stdin.resume()'],
  env: {},
  clearEnv: false,
}
const ignored: CallSink = { onMessage: () => undefined, reply: () => undefined, fail: () => undefined }

const factory = {
  createTransport: () =>
    new StdioTransport('silent', program, {
      children: new ChildCount(),
      backoff: new StdioBackoff(),
      log: () => undefined,
      isShared: true,
    }),
}

test('a program that clients share', async (t) => {
  await t.test('is ended after an idle time, and started again for the next use', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const shared = new SharedTransport(idleMs)
    const first = shared.get(factory)
    mock.timers.tick(idleMs - 1)
    assert.equal(shared.get(factory), first)
    mock.timers.tick(idleMs - 1)
    assert.equal(first.closed, undefined)
    mock.timers.tick(1)
    assert.ok(first.closed)
    assert.notEqual(shared.get(factory), first)
    shared.drop()
  })

  await t.test('keeps running while a call is pending', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const shared = new SharedTransport(idleMs)
    const transport = shared.get(factory)
    const cancel = transport.call({ method: 'tools/call' }, noHttpContext, ignored)
    mock.timers.tick(10 * idleMs)
    assert.equal(transport.closed, undefined)
    cancel()
    mock.timers.tick(idleMs)
    assert.ok(transport.closed)
  })

  await t.test('keeps running while there is a listener', ({ mock }) => {
    mock.timers.enable({ apis: ['setTimeout', 'Date'] })
    const shared = new SharedTransport(idleMs)
    const transport = shared.get(factory)
    const stop = transport.listen(noHttpContext, { onMessage: () => undefined, closed: () => undefined })
    mock.timers.tick(3 * idleMs)
    assert.equal(transport.closed, undefined)
    stop()
    mock.timers.tick(idleMs)
    assert.ok(transport.closed)
  })
})
