import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ask,
  call,
  command,
  faultOf,
  listen,
  nobody,
  scripted,
  StdioTestPlace,
  until,
} from '../../support/mcp/stdio-place.ts'

test('a wire over stdio', async (t) => {
  await t.test('starts its server with the first request, and answers', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    assert.equal(wire.pid, undefined)
    assert.deepEqual(place.children.counts(), { inAll: 0, byTarget: {} })
    assert.deepEqual(await ask(wire, 'echo', { text: 'grüße 🎉\n\u2028' }), {
      params: { text: 'grüße 🎉\n\u2028' },
    })
    assert.deepEqual(place.children.counts(), { inAll: 1, byTarget: { files: 1 } })
    assert.equal(wire.sessionId, undefined)
  })

  await t.test('numbers requests itself, and keeps their answers apart', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const many = Array.from({ length: 200 }, (_, i) => ask(wire, 'echo', { i }))
    assert.deepEqual(
      await Promise.all(many),
      many.map((_, i) => ({ params: { i } })),
    )
    const { received } = (await ask(wire, 'received')) as { received: { id: number }[] }
    assert.deepEqual(
      received.map(({ id }) => id),
      Array.from({ length: 201 }, (_, i) => i + 1),
    )
  })

  await t.test('passes on notifications, and answers to requests of the server', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    await new Promise((resolve) => {
      wire.notify({ method: 'notifications/initialized' }, nobody, resolve)
    })
    const asking = call(wire, 'ask')
    const heard = listen(wire)
    await asking.count(1)
    assert.deepEqual(asking.said, [{ jsonrpc: '2.0', id: 'q1', method: 'roots/list', params: undefined }])
    const fault = await new Promise((resolve) => {
      wire.answer('q1', { result: { roots: [] } }, nobody, resolve)
    })
    assert.equal(fault, undefined)
    assert.deepEqual(await asking.outcome, { answer: { roots: [] } })
    assert.deepEqual(heard.said, [])
    const { received } = (await ask(wire, 'received')) as { received: object[] }
    assert.deepEqual(received[0], { jsonrpc: '2.0', method: 'notifications/initialized' })
  })

  await t.test('tells the server that a request was given up, and hears no more of it', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const late = call(wire, 'ask')
    await late.count(1)
    let heard = 0
    late.outcome.then(
      () => heard++,
      () => heard++,
    )
    late.cancel()
    late.cancel()
    wire.answer('q1', { result: {} }, nobody, () => undefined)
    const { received } = (await ask(wire, 'received')) as { received: { method: string }[] }
    assert.deepEqual(
      received.filter(({ method }) => method === 'notifications/cancelled'),
      [{ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }],
    )
    assert.equal(heard, 0)
    assert.equal(wire.strays, 1)
  })

  await t.test('does not cancel a handshake, or what is over', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    call(wire, 'initialize').cancel()
    const done = call(wire, 'echo')
    await done.outcome
    done.cancel()
    const { received } = (await ask(wire, 'received')) as { received: { method: string }[] }
    assert.deepEqual(
      received.map(({ method }) => method),
      ['initialize', 'echo', 'received'],
    )
  })

  await t.test('keeps progress tokens of different callers apart', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const same = { _meta: { progressToken: 'mine', other: 1 } }
    const one = call(wire, 'progress', { ...same, for: 1 })
    const two = call(wire, 'progress', { ...same, for: 2 })
    assert.deepEqual(await one.outcome, { told: 1 })
    assert.deepEqual(await two.outcome, { told: 2 })
    const report = (progress: number, whose: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress, for: whose },
    })
    assert.deepEqual(one.said, [report(1, 1), report(2, 1)])
    assert.deepEqual(two.said, [report(1, 2), report(2, 2)])
    await ask(wire, 'echo')
    assert.equal(wire.strays, 2, 'progress after the answer is nobody’s')
    const { received } = (await ask(wire, 'received')) as { received: { params: object }[] }
    assert.deepEqual(received[0]!.params, { _meta: { progressToken: 1, other: 1 }, for: 1 })
  })

  await t.test('takes progress of a task to the listener once its request was answered', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const heard = listen(wire)
    const begun = call(wire, 'progress', { _meta: { progressToken: 7 }, task: true })
    await begun.outcome
    await heard.count(1)
    assert.deepEqual(
      begun.said.map(({ params }) => params?.progressToken),
      [7, 7],
    )
    assert.deepEqual(heard.said[0]?.params, { progressToken: 7, progress: 3 })
  })

  await t.test('takes what names no call to the youngest one', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const heard = listen(wire)
    const older = call(wire, 'silent')
    const younger = call(wire, 'tell', { data: 1 })
    await younger.outcome
    assert.deepEqual(younger.said, [{ jsonrpc: '2.0', method: 'notifications/message', params: { data: 1 } }])
    assert.deepEqual(older.said, [])
    assert.deepEqual(heard.said, [])
    older.outcome.catch(() => undefined)
  })

  await t.test('takes what names a subscription to the request that began it, and nothing else', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const subscription = call(wire, 'subscriptions/listen')
    const other = call(wire, 'change', { of: 1 })
    await other.outcome
    const heard = listen(wire)
    await ask(wire, 'tellLater')
    await heard.count(1)
    assert.deepEqual(
      subscription.said.map(({ method }) => method),
      [
        'notifications/subscriptions/acknowledged',
        'notifications/tools/list_changed',
        'notifications/cancelled',
      ],
    )
    assert.deepEqual(other.said, [])
    subscription.outcome.catch(() => undefined)
  })

  await t.test('keeps messages for a listener, the last ones and in order', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    await ask(wire, 'tellLater', { times: 103 })
    // Messages that come during a call would be taken for the call's.
    await until(() => place.lines.filter(({ from }) => from === 'gateway').length === 3)
    const heard = listen(wire)
    assert.equal(heard.said.length, 0, 'nothing before listen has returned')
    await heard.count(100)
    assert.deepEqual(
      heard.said.map(({ params }) => params?.data),
      Array.from({ length: 100 }, (_, i) => i + 3),
    )
    heard.stop()
    await ask(wire, 'tellLater')
    const next = listen(wire)
    await next.count(1)
    assert.equal(heard.said.length, 100)
  })

  await t.test('has one listener: a second one takes the place of the first', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const first = listen(wire)
    const second = listen(wire)
    assert.equal(await first.closed, undefined)
    await ask(wire, 'tellLater')
    await second.count(1)
    assert.deepEqual(first.said, [])
  })

  await t.test('tells calls and listener that it was closed, and takes nothing more', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    const heard = listen(wire)
    const open = call(wire, 'silent')
    const givenUp = call(wire, 'silent')
    let told = false
    givenUp.outcome.catch(() => (told = true))
    await ask(wire, 'echo')
    wire.close()
    wire.close()
    givenUp.cancel()
    const fault = await faultOf(open.outcome)
    assert.equal(fault.code, 'mcp_session_closed')
    assert.equal(fault.message, 'mcp: the session with target files was ended')
    assert.equal(await heard.closed, undefined)
    assert.equal((await faultOf(ask(wire, 'echo'))).code, 'mcp_session_closed')
    assert.equal(await listen(wire).closed, undefined)
    assert.equal(told, false)
    await place.children.none()
    assert.deepEqual(place.children.counts(), { inAll: 0, byTarget: {} })
  })

  await t.test('that was closed before it was used starts nothing', async () => {
    await using place = new StdioTestPlace()
    const wire = place.wire()
    wire.close()
    assert.equal((await faultOf(ask(wire, 'echo'))).code, 'mcp_session_closed')
    assert.equal(wire.pid, undefined)
  })

  await t.test('gives a server the environment of the gateway and its own', async () => {
    await using place = new StdioTestPlace()
    process.env.STDIO_TEST_INHERITED = 'yes'
    const plain = place.wire(scripted({ env: { STDIO_TEST: 'one' } }))
    const { env } = (await ask(plain, 'env')) as { env: Record<string, string> }
    assert.equal(env.STDIO_TEST, 'one')
    assert.equal(env.STDIO_TEST_INHERITED, 'yes')
    assert.equal(env.PATH, process.env.PATH)
    // `node` is found on the path of the gateway although the server has none.
    const cleared = place.wire({
      ...scripted({ env: { STDIO_TEST: 'two' }, clearEnv: true }),
      command: 'node',
    })
    assert.deepEqual(await ask(cleared, 'env'), { env: { STDIO_TEST: 'two' } })
    delete process.env.STDIO_TEST_INHERITED
  })

  await t.test('says at once which command there is not, or may not be run', async () => {
    await using place = new StdioTestPlace()
    const missing = await faultOf(ask(place.wire(command('no-such-server')), 'echo'))
    assert.equal(missing.code, 'mcp_server_not_started')
    assert.equal(missing.status, 500)
    assert.equal(
      missing.message,
      'mcp: target files cannot be started: command "no-such-server" was not found',
    )
    const line = await faultOf(ask(place.wire(command('npx -y no-such-server')), 'echo'))
    assert.match(
      line.message,
      /command "npx -y no-such-server" was not found; its arguments belong into args$/,
    )
    const absent = await faultOf(ask(place.wire(command('/nowhere/server')), 'echo'))
    assert.equal(
      absent.message,
      'mcp: target files cannot be started: command "/nowhere/server" was not found',
    )
    const forbidden = await faultOf(ask(place.wire(command('/etc/passwd')), 'echo'))
    assert.equal(
      forbidden.message,
      'mcp: target files cannot be started: command "/etc/passwd" may not be run',
    )
    const impossible = await faultOf(ask(place.wire(command('sh', ['a\0b'])), 'echo'))
    assert.equal(impossible.code, 'mcp_server_not_started')
    const listening = place.wire(command('/nowhere/server'))
    assert.equal((await listen(listening).closed)?.code, 'mcp_server_not_started')
    assert.deepEqual(place.children.counts(), { inAll: 0, byTarget: {} })
  })
})
