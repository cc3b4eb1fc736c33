import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  callForResult,
  call,
  faultOf,
  listen,
  isRunning,
  noContext,
  shell,
  StdioTestContext,
} from '../../../support/mcp/stdio-fixture.ts'

test('a hostile stdio server', async (t) => {
  await t.test('that responds twice is read once', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    assert.deepEqual(await callForResult(transport, 'twice'), { which: 'first' })
    assert.deepEqual(await callForResult(transport, 'echo'), {})
    assert.equal(transport.unmatched, 1)
  })

  await t.test('that responds with wrong ids completes no call', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const other = call(transport, 'silent')
    assert.deepEqual(await callForResult(transport, 'wrong'), { which: 'right' })
    assert.equal(transport.unmatched, 4)
    other.cancel()
  })

  await t.test('that responds with nothing fails that call', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const fault = await faultOf(callForResult(transport, 'neither'))
    assert.equal(fault.code, 'mcp_server_malformed')
    assert.equal(fault.status, 502)
    assert.match(fault.message, /^mcp: target files sent a malformed answer: /)
    await callForResult(transport, 'echo')
  })

  await t.test('that responds without an id completes the only call there is', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    assert.deepEqual(await callForResult(transport, 'nameless'), {
      error: { code: -32_700, message: 'cannot read this' },
    })
    const two = [call(transport, 'silent'), call(transport, 'nameless')]
    await callForResult(transport, 'echo')
    assert.equal(transport.unmatched, 1)
    for (const one of two) one.cancel()
  })

  await t.test('that logs to stdout gets its text into the log, and its response is read', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    assert.deepEqual(await callForResult(transport, 'garbage'), {})
    assert.deepEqual(
      endpointAddress.lines.map(({ from, text }) => [from, text]),
      [
        ['stdout', 'Server is starting…'],
        ['stdout', '{"log":"started"}'],
        ['stdout', 'null'],
        ['stdout', '[]'],
        ['stdout', '{"jsonrpc":"1.0","id":"x","result":{}}'],
      ],
    )
  })

  await t.test('may send batches, which one revision supports', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const batch = call(transport, 'batch')
    assert.deepEqual(await batch.outcome, {})
    assert.equal(batch.messages.length, 1)
  })

  await t.test('may send a message of ten megabytes', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const { text } = (await callForResult(transport, 'big', { bytes: 10_000_000 })) as { text: string }
    assert.ok(text === 'ü'.repeat(5_000_000))
    assert.deepEqual(await callForResult(transport, 'echo', { text }), { params: { text } })
  })

  await t.test('that sends a deeply nested message is ignored, and keeps running', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const one = call(transport, 'deep', { levels: 100_000 })
    assert.deepEqual(await one.outcome, {})
    assert.deepEqual(one.messages, [])
    assert.equal(endpointAddress.lines.length, 1)
    assert.equal(endpointAddress.lines[0]!.text.length, 8_192)
  })

  await t.test('that ends no line is killed, at the limit', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { lineBytes: 1_000_000 } })
    const transport = endpointAddress.transport()
    const fault = await faultOf(callForResult(transport, 'endless'))
    assert.equal(fault.code, 'mcp_message_too_large')
    assert.equal(fault.status, 502)
    assert.equal(fault.message, 'mcp: target files sent a message beyond the limit of 1000000 bytes')
    await endpointAddress.children.none()
    assert.equal(isRunning(transport.pid!), false)
  })

  await t.test('that ends no line is killed at 16 MiB', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    assert.match((await faultOf(callForResult(transport, 'endless'))).message, /limit of 16777216 bytes$/)
  })

  await t.test('that floods is read, without blocking others', async () => {
    await using endpointAddress = new StdioTestContext()
    const quiet = endpointAddress.transport()
    await callForResult(quiet, 'echo')
    const transport = endpointAddress.transport()
    const flood = call(transport, 'flood', { lines: 2_000_000 })
    await flood.count(1)
    await callForResult(quiet, 'echo')
    const enough = call(transport, 'enough')
    const { lines } = (await flood.outcome) as { lines: number }
    assert.ok(lines < 2_000_000, 'another server was heard after it only')
    // What names no call goes to the youngest.
    assert.equal(flood.messages.length + enough.messages.length, lines)
    await enough.outcome
  })

  await t.test('that floods its stderr gets a limited number of lines per second into the log', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { logLinesPerSecond: 10 } })
    const transport = endpointAddress.transport()
    await callForResult(transport, 'noisy', { lines: 5_000 })
    transport.close()
    await endpointAddress.children.none()
    const logged = endpointAddress.lines.filter(({ from }) => from === 'stderr')
    assert.ok(logged.length >= 10 && logged.length < 200, `${logged.length} lines`)
    const left = endpointAddress.lines
      .filter(({ from }) => from === 'gateway')
      .map(({ text }) => Number.parseInt(text, 10))
    assert.equal(logged.length + left.reduce((sum, lines) => sum + lines, 0), 5_000)
  })

  await t.test('that writes long lines to stderr gets them truncated in the log', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { logLineBytes: 20 } })
    const transport = endpointAddress.transport(shell('printf "%050d\\nshort\\n" 1 >&2; read -r line'))
    assert.equal((await faultOf(callForResult(transport, 'anything'))).code, 'mcp_server_died')
    assert.deepEqual(
      endpointAddress.lines.map(({ text }) => text),
      [`${'0'.repeat(20)} …`, 'short'],
    )
  })

  await t.test('that stops reading is sent no more than fits, and affects no others', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { waitingBytes: 4_000_000 } })
    const transport = endpointAddress.transport()
    const quiet = endpointAddress.transport()
    await callForResult(transport, 'deaf')
    const open = Array.from({ length: 12 }, () => call(transport, 'echo', { text: 'x'.repeat(500_000) }))
    for (const one of open) one.outcome.catch(() => undefined)
    const faults = await Promise.all(open.slice(9).map(({ outcome }) => faultOf(outcome)))
    for (const { code, status, message } of faults)
      assert.deepEqual(
        [code, status, message],
        [
          'mcp_server_not_reading',
          503,
          'mcp: target files does not read its input, and more than 4000000 bytes would wait for it',
        ],
      )
    const fault = await new Promise((resolve) => {
      transport.notify({ method: 'x', params: { text: 'x'.repeat(4_000_000) } }, noContext, resolve)
    })
    assert.ok(fault instanceof Error)
    await callForResult(quiet, 'echo')
    for (const one of open) one.cancel()
    assert.equal(transport.closed, undefined)
    transport.close()
    quiet.close()
    await endpointAddress.children.none()
    assert.equal(isRunning(transport.pid!), false)
  })

  await t.test('that never responds does not prevent cancellation', async () => {
    await using endpointAddress = new StdioTestContext()
    const transport = endpointAddress.transport()
    const open = Array.from({ length: 100 }, () => call(transport, 'silent'))
    for (const one of open) one.cancel()
    await callForResult(transport, 'echo')
  })

  await t.test('that ignores the end of its input and SIGTERM is killed', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { inputGraceMs: 50, termGraceMs: 50 } })
    const transport = endpointAddress.transport()
    await callForResult(transport, 'stubborn')
    const heard = listen(transport)
    const began = performance.now()
    transport.close()
    await heard.closed
    assert.ok(isRunning(transport.pid!), 'nobody waits for it')
    await endpointAddress.children.none()
    assert.ok(performance.now() - began > 90)
    assert.equal(isRunning(transport.pid!), false)
  })

  await t.test('does not block on pending output when it is ended', async () => {
    await using endpointAddress = new StdioTestContext({ limits: { inputGraceMs: 60_000 } })
    // Writes a megabyte once its input has ended, and exits.
    const transport = endpointAddress.transport(shell('cat >/dev/null; head -c 1000000 /dev/zero'))
    transport.notify({ method: 'x' }, noContext, () => undefined)
    transport.close()
    await endpointAddress.children.none()
  })
})
