import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Fault } from '../../../../src/model/exchange/fault.ts'
import { ServerDied } from '../../../../src/upstream/mcp/stdio/faults.ts'
import {
  callForResult,
  call,
  faultOf,
  listen,
  isRunning,
  noContext,
  shell,
  StdioTestContext,
  until,
} from '../../../support/mcp/stdio-fixture.ts'

test('a stdio server that exits', async (t) => {
  await t.test(
    'fails every call and the listener, with exit code and last output, without any timeout',
    async () => {
      await using endpointAddress = new StdioTestContext()
      const transport = endpointAddress.transport()
      const heard = listen(transport)
      const waiting = call(transport, 'silent')
      await callForResult(transport, 'echo')
      const began = performance.now()
      const fault = await faultOf(
        callForResult(transport, 'die', { code: 7, words: 'no such table: \u001b[31musers\u001b[0m' }),
      )
      assert.ok(performance.now() - began < 10_000)
      assert.ok(fault instanceof ServerDied)
      assert.equal(fault.code, 'mcp_server_died')
      assert.equal(fault.status, 503)
      assert.equal(fault.reason, 'MCP')
      assert.equal(fault.message, 'mcp: target files ended with exit code 7')
      assert.equal(fault.cause, 'the end of what it wrote to stderr:\nno such table: users')
      assert.equal(fault.stderr, 'no such table: users')
      assert.deepEqual(fault.death, { exitCode: 7, signal: null, closed: undefined })
      assert.equal(await faultOf(waiting.outcome), fault)
      assert.equal(await heard.closed, fault)
    },
  )

  await t.test('stays failed: later calls fail with the same fault', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const fault = await faultOf(callForResult(transport, 'die', { code: 0, words: '' }))
    assert.equal(fault.message, 'mcp: target files ended with exit code 0')
    assert.equal(transport.closed, fault)
    assert.equal(await faultOf(callForResult(transport, 'echo')), fault)
    assert.equal(await listen(transport).closed, fault)
    const told = await new Promise((resolve) => {
      transport.notify({ method: 'notifications/initialized' }, noContext, resolve)
    })
    assert.equal(told, fault)
    await endpointAddress.children.none()
    const another = endpointAddress.transport()
    await callForResult(another, 'echo')
  })

  await t.test('is reported with its signal', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    await callForResult(transport, 'echo')
    const open = call(transport, 'silent')
    process.kill(transport.pid!, 'SIGKILL')
    assert.equal((await faultOf(open.outcome)).message, 'mcp: target files was ended by SIGKILL')
  })

  await t.test('has the end of its output in the fault, and all of it in the log', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    await callForResult(transport, 'noisy', { lines: 900 })
    const fault = await faultOf(callForResult(transport, 'die', { code: 1, words: 'at last' }))
    assert.ok(fault instanceof ServerDied)
    assert.match(fault.stderr, /^line \d+\n[^]*\nline 899\nat last$/)
    assert.ok(fault.stderr.length <= 2_048 && fault.stderr.length > 2_000)
    assert.deepEqual(
      endpointAddress.lines.map(({ text }) => text),
      [...Array.from({ length: 900 }, (_, i) => `line ${i}`), 'at last'],
    )
    assert.deepEqual(endpointAddress.lines[0], {
      target: 'files',
      pid: transport.pid!,
      text: 'line 0',
      from: 'stderr',
    })
  })

  await t.test('in the middle of a line fails its call, and the partial line is logged', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    assert.equal(
      (await faultOf(callForResult(transport, 'half'))).message,
      'mcp: target files ended with exit code 3',
    )
    assert.deepEqual(
      endpointAddress.lines.map(({ from, text }) => [from, text]),
      [['stdout', '{"jsonrpc":"2.0","id":1,"resul']],
    )
  })

  await t.test('with a complete message but no end of line has sent it', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(
      shell(`read -r line; printf '{"jsonrpc":"2.0","id":1,"result":{"a":1}}'; exit 1`),
    )
    assert.deepEqual(await callForResult(transport, 'anything'), { a: 1 })
  })

  await t.test('has exited although its own child holds its streams', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const { pid } = (await callForResult(transport, 'holder')) as { pid: number }
    const fault = await faultOf(callForResult(transport, 'die', { code: 4, words: 'bye' }))
    assert.match(fault.message, /exit code 4$/)
    assert.match(String(fault.cause), /\nbye$/)
    await endpointAddress.children.none()
    await until(() => !isRunning(pid))
  })

  await t.test('is treated as exited when it closes its output, and is killed', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    await callForResult(transport, 'echo')
    const fault = await faultOf(callForResult(transport, 'closeOutput'))
    assert.equal(fault.message, 'mcp: target files closed its output without ending')
    await endpointAddress.children.none()
    assert.equal(isRunning(transport.pid!), false)
  })

  await t.test('is treated as exited when it closes its input', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport(
      shell(`read -r line; exec 0<&-; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; exec sleep 1000`),
    )
    await callForResult(transport, 'anything')
    const fault = await faultOf(callForResult(transport, 'anything'))
    assert.equal(fault.message, 'mcp: target files closed its input without ending')
    await endpointAddress.children.none()
    assert.equal(isRunning(transport.pid!), false)
  })

  await t.test('before any response is not restarted repeatedly', async () => {
    let now = 0
    await using endpointAddress = new StdioTestContext({ now: () => now })
    const broken = shell('echo "cannot open database" >&2; exit 2')
    const start = (): Promise<Fault> =>
      faultOf(callForResult(endpointAddress.transport(broken), 'initialize'))
    for (let i = 0; i < 3; i++) assert.equal((await start()).code, 'mcp_server_died')
    const fault = await start()
    assert.equal(fault.code, 'mcp_server_failing')
    assert.equal(fault.status, 503)
    assert.equal(
      fault.message,
      'mcp: target files died 3 times without an answer; it is started again in 1 s at the earliest',
    )
    now += 500
    assert.equal((await start()).code, 'mcp_server_died')
    now += 999
    assert.equal((await start()).code, 'mcp_server_failing')
    for (let i = 0; i < 20; i++) {
      now += 30_000
      assert.equal((await start()).code, 'mcp_server_died')
    }
    assert.match((await start()).message, /died 24 times .* in 30 s /)
    // The same command of another configuration is another server.
    assert.equal(
      (await faultOf(callForResult(endpointAddress.transport({ ...broken }), 'initialize'))).code,
      'mcp_server_died',
    )
  })

  await t.test('after a response may be restarted at once, however often', async () => {
    await using endpointAddress = new StdioTestContext({ now: () => 0 })
    const once = shell(`read -r line; echo '{"jsonrpc":"2.0","id":1,"result":{}}'; read -r line; exit 1`)
    for (let i = 0; i < 6; i++) {
      const transport = endpointAddress.transport(once)
      await callForResult(transport, 'initialize')
      assert.equal((await faultOf(callForResult(transport, 'crash'))).code, 'mcp_server_died')
    }
  })

  await t.test('is restarted at once if the gateway ended it', async () => {
    await using endpointAddress = new StdioTestContext({ now: () => 0 })
    const slow = shell('cat >/dev/null')
    for (let i = 0; i < 6; i++) {
      const transport = endpointAddress.transport(slow)
      const open = call(transport, 'initialize')
      transport.close()
      assert.equal((await faultOf(open.outcome)).code, 'mcp_session_closed')
    }
  })
})
