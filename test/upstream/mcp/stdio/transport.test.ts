import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  callForResult,
  call,
  command,
  faultOf,
  listen,
  noContext,
  scripted,
  StdioTestContext,
  until,
} from '../../../support/mcp/stdio-fixture.ts'

test('a stdio transport', async (t) => {
  await t.test('starts its server with the first request, and returns the response', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    assert.equal(transport.pid, undefined)
    assert.deepEqual(options.children.counts(), { inAll: 0, byTarget: {} })
    assert.deepEqual(await callForResult(transport, 'echo', { text: 'grüße 🎉\n\u2028' }), {
      params: { text: 'grüße 🎉\n\u2028' },
    })
    assert.deepEqual(options.children.counts(), { inAll: 1, byTarget: { files: 1 } })
    assert.equal(transport.sessionId, undefined)
  })

  await t.test('numbers requests itself, and keeps their responses separate', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const many = Array.from({ length: 200 }, (_, i) => callForResult(transport, 'echo', { i }))
    assert.deepEqual(
      await Promise.all(many),
      many.map((_, i) => ({ params: { i } })),
    )
    const { received } = (await callForResult(transport, 'received')) as { received: { id: number }[] }
    assert.deepEqual(
      received.map(({ id }) => id),
      Array.from({ length: 201 }, (_, i) => i + 1),
    )
  })

  await t.test('forwards notifications, and responses to requests of the server', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    await new Promise((resolve) => {
      transport.notify({ method: 'notifications/initialized' }, noContext, resolve)
    })
    const asking = call(transport, 'ask')
    const heard = listen(transport)
    await asking.count(1)
    assert.deepEqual(asking.messages, [{ jsonrpc: '2.0', id: 'q1', method: 'roots/list', params: undefined }])
    const fault = await new Promise((resolve) => {
      transport.respond('q1', { result: { roots: [] } }, noContext, resolve)
    })
    assert.equal(fault, undefined)
    assert.deepEqual(await asking.outcome, { answer: { roots: [] } })
    assert.deepEqual(heard.messages, [])
    const { received } = (await callForResult(transport, 'received')) as { received: object[] }
    assert.deepEqual(received[0], { jsonrpc: '2.0', method: 'notifications/initialized' })
  })

  await t.test('notifies the server of a cancelled request, and drops its later messages', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const late = call(transport, 'ask')
    await late.count(1)
    let heard = 0
    late.outcome.then(
      () => heard++,
      () => heard++,
    )
    late.cancel()
    late.cancel()
    transport.respond('q1', { result: {} }, noContext, () => undefined)
    const { received } = (await callForResult(transport, 'received')) as { received: { method: string }[] }
    assert.deepEqual(
      received.filter(({ method }) => method === 'notifications/cancelled'),
      [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    )
    assert.equal(heard, 0)
    assert.equal(transport.unmatched, 1)
  })

  await t.test('does not cancel a handshake, or a completed request', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    call(transport, 'initialize').cancel()
    const done = call(transport, 'echo')
    await done.outcome
    done.cancel()
    const { received } = (await callForResult(transport, 'received')) as { received: { method: string }[] }
    assert.deepEqual(
      received.map(({ method }) => method),
      ['initialize', 'echo', 'received'],
    )
  })

  await t.test('keeps progress tokens of different callers separate', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const same = { _meta: { progressToken: 'mine', other: 1 } }
    const one = call(transport, 'progress', { ...same, for: 1 })
    const two = call(transport, 'progress', { ...same, for: 2 })
    assert.deepEqual(await one.outcome, { told: 1 })
    assert.deepEqual(await two.outcome, { told: 2 })
    const report = (progress: number, whose: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress, for: whose },
    })
    assert.deepEqual(one.messages, [report(1, 1), report(2, 1)])
    assert.deepEqual(two.messages, [report(1, 2), report(2, 2)])
    await callForResult(transport, 'echo')
    assert.equal(transport.unmatched, 2, 'progress after the answer is nobody’s')
    const { received } = (await callForResult(transport, 'received')) as { received: { params: object }[] }
    assert.deepEqual(received[0]!.params, { _meta: { progressToken: 1, other: 1 }, for: 1 })
  })

  await t.test('sends progress of a task to the listener once its request has a response', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const heard = listen(transport)
    const begun = call(transport, 'progress', { _meta: { progressToken: 7 }, task: true })
    await begun.outcome
    await heard.count(1)
    assert.deepEqual(
      begun.messages.map(({ params }) => params?.progressToken),
      [7, 7],
    )
    assert.deepEqual(heard.messages[0]?.params, { progressToken: 7, progress: 3 })
  })

  await t.test('sends messages without a call id to the youngest call', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const heard = listen(transport)
    const older = call(transport, 'silent')
    const younger = call(transport, 'tell', { data: 1 })
    await younger.outcome
    assert.deepEqual(younger.messages, [
      { jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } },
    ])
    assert.deepEqual(older.messages, [])
    assert.deepEqual(heard.messages, [])
    older.outcome.catch(() => undefined)
  })

  await t.test(
    'sends messages of a subscription to the request that began it, and nothing else',
    async () => {
      await using options = new StdioTestContext()
      const transport = options.transport()
      const subscription = call(transport, 'subscriptions/listen')
      const other = call(transport, 'change', { of: 1 })
      await other.outcome
      const heard = listen(transport)
      await callForResult(transport, 'tellLater')
      await heard.count(1)
      assert.deepEqual(
        subscription.messages.map(({ method }) => method),
        [
          'notifications/subscriptions/acknowledged',
          'notifications/tools/list_changed',
          'notifications/cancelled',
        ],
      )
      assert.deepEqual(other.messages, [])
      subscription.outcome.catch(() => undefined)
    },
  )

  await t.test('buffers messages for a listener, the last ones and in order', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    await callForResult(transport, 'tellLater', { times: 103 })
    // Messages during a call would be attributed to the call.
    await until(() => options.lines.filter(({ from }) => from === 'gateway').length === 3)
    const heard = listen(transport)
    assert.equal(heard.messages.length, 0, 'nothing before listen has returned')
    await heard.count(100)
    assert.deepEqual(
      heard.messages.map(({ params }) => params?.data),
      Array.from({ length: 100 }, (_, i) => i + 3),
    )
    heard.stop()
    await callForResult(transport, 'tellLater')
    const next = listen(transport)
    await next.count(1)
    assert.equal(heard.messages.length, 100)
  })

  await t.test('has one listener: a second one replaces the first', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const first = listen(transport)
    const second = listen(transport)
    assert.equal(await first.closed, undefined)
    await callForResult(transport, 'tellLater')
    await second.count(1)
    assert.deepEqual(first.messages, [])
  })

  await t.test('reports its close to calls and listener, and accepts nothing more', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    const heard = listen(transport)
    const open = call(transport, 'silent')
    const givenUp = call(transport, 'silent')
    let told = false
    givenUp.outcome.catch(() => (told = true))
    await callForResult(transport, 'echo')
    transport.close()
    transport.close()
    givenUp.cancel()
    const fault = await faultOf(open.outcome)
    assert.equal(fault.code, 'mcp_session_closed')
    assert.equal(fault.message, 'mcp: the session with target files was ended')
    assert.equal(await heard.closed, undefined)
    assert.equal((await faultOf(callForResult(transport, 'echo'))).code, 'mcp_session_closed')
    assert.equal(await listen(transport).closed, undefined)
    assert.equal(told, false)
    await options.children.none()
    assert.deepEqual(options.children.counts(), { inAll: 0, byTarget: {} })
  })

  await t.test('that was closed before it was used starts nothing', async () => {
    await using options = new StdioTestContext()
    const transport = options.transport()
    transport.close()
    assert.equal((await faultOf(callForResult(transport, 'echo'))).code, 'mcp_session_closed')
    assert.equal(transport.pid, undefined)
  })

  await t.test('gives a server the environment of the gateway and its own', async () => {
    await using options = new StdioTestContext()
    process.env.STDIO_TEST_INHERITED = 'yes'
    const plain = options.transport(scripted({ env: { STDIO_TEST: 'one' } }))
    const { env } = (await callForResult(plain, 'env')) as { env: Record<string, string> }
    assert.equal(env.STDIO_TEST, 'one')
    assert.equal(env.STDIO_TEST_INHERITED, 'yes')
    assert.equal(env.PATH, process.env.PATH)
    // `node` is found on the path of the gateway although the server has none.
    const cleared = options.transport({
      ...scripted({ env: { STDIO_TEST: 'two' }, clearEnv: true }),
      command: 'node',
    })
    assert.deepEqual(await callForResult(cleared, 'env'), { env: { STDIO_TEST: 'two' } })
    delete process.env.STDIO_TEST_INHERITED
  })

  await t.test('reports at once a command that does not exist, or may not be run', async () => {
    await using options = new StdioTestContext()
    const missing = await faultOf(callForResult(options.transport(command('no-such-server')), 'echo'))
    assert.equal(missing.code, 'mcp_server_not_started')
    assert.equal(missing.status, 500)
    assert.equal(
      missing.message,
      'mcp: target files cannot be started: command "no-such-server" was not found',
    )
    const line = await faultOf(callForResult(options.transport(command('npx -y no-such-server')), 'echo'))
    assert.match(
      line.message,
      /command "npx -y no-such-server" was not found; its arguments belong into args$/,
    )
    const absent = await faultOf(callForResult(options.transport(command('/nowhere/server')), 'echo'))
    assert.equal(
      absent.message,
      'mcp: target files cannot be started: command "/nowhere/server" was not found',
    )
    const forbidden = await faultOf(callForResult(options.transport(command('/etc/passwd')), 'echo'))
    assert.equal(
      forbidden.message,
      'mcp: target files cannot be started: command "/etc/passwd" may not be run',
    )
    const impossible = await faultOf(callForResult(options.transport(command('sh', ['a\0b'])), 'echo'))
    assert.equal(impossible.code, 'mcp_server_not_started')
    const listening = options.transport(command('/nowhere/server'))
    assert.equal((await listen(listening).closed)?.code, 'mcp_server_not_started')
    assert.deepEqual(options.children.counts(), { inAll: 0, byTarget: {} })
  })
})
